/* The trees through which the ranks of a group combine their values: see collectives/tree.c. */
#ifndef TFCORE_COLLECTIVE_TREE_H
#define TFCORE_COLLECTIVE_TREE_H

#include <stdbool.h>
#include <stdint.h>

enum {
  TFC_FEW_RANKS = 8, /* up to so many send tiny values from all to all */
  TFC_FEW_HOSTS = 8  /* up to so many send to the root's host without hosts in between */
};

/* The hosts of a group. Ranks are given by their index in the group; hosts are numbered by their
 * lowest rank. */
typedef struct tfc_hosts {
  int n_ranks, n_hosts;
  int32_t* host_of; /* by rank */
  int32_t* first;   /* by host, and one more: where its ranks begin in `members` */
  int32_t* members; /* the ranks, host by host, ascending */
} tfc_hosts;

/* `memory[r]` is the same number for ranks that share memory. False: there is no memory. */
bool tfc_hosts_init(tfc_hosts* hosts, int n_ranks, const int32_t* memory);
void tfc_hosts_clear(tfc_hosts* hosts);

/* One tree: its root, and a number by which hosts choose, in turn, the rank that combines. */
typedef struct tfc_tree {
  int32_t root, turn;
} tfc_tree;

/* The tree number i of a reduction that has several. */
tfc_tree tfc_tree_in_turn(const tfc_hosts* hosts, int64_t i);
/* The rank that combines the values of a host. */
int tfc_tree_leader(const tfc_hosts* hosts, tfc_tree tree, int host);
/* -1: it is the root. */
int tfc_tree_parent(const tfc_hosts* hosts, tfc_tree tree, int rank);
typedef struct tfc_child_host {
  int32_t host;
  bool before; /* its values stand before those of this host */
} tfc_child_host;

/* The hosts whose leaders send what they have combined to this host's leader, in the order in which
 * it is combined. */
enum { TFC_MAX_CHILD_HOSTS = 32 };
int tfc_tree_children(const tfc_hosts* hosts, tfc_tree tree, int host, tfc_child_host* children);

#endif
