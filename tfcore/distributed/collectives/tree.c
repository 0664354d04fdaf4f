/* The trees through which the ranks of a group combine their values.
 *
 * On each host one rank, the leader, combines the values of its host through shared memory, so that
 * each value crosses the network once. Leaders form a tree; the root's result comes back along the
 * same edges. A large value is cut into blocks, each with a tree of its own: roots and leaders take
 * turns, so that all have the same work, and each rank sends and receives twice its value, as in a
 * ring, in 2 (few hosts) or 2 log2(hosts) steps.
 *
 * Few hosts send to the root's host directly. With more of them the tree is binomial, rotated by
 * exclusive or with the root's number: the trees of all blocks together send the messages of
 * recursive halving and doubling (R. Thakur, R. Rabenseifner, W. Gropp: Optimization of Collective
 * Communication Operations in MPICH, 2005), block by block. Hosts beyond the largest power of two
 * are leaves below the others.
 *
 * The order in which values are combined depends on the hosts of the group only, not on the root:
 * first those of each host, in the order of the ranks; then hosts, in the order of their lowest
 * ranks: few of them one after the other; of more, with p the largest power of two, first host
 * i + p to host i, then pairs of neighbours (0 and 1, 2 and 3), pairs of these pairs, and so on.
 */
#include "collectives/tree.h"

#include <stdlib.h>

typedef struct located {
  int32_t memory, rank;
} located;

static int compare(const void* a, const void* b) {
  const located *x = a, *y = b;
  if (x->memory != y->memory) return x->memory < y->memory ? -1 : 1;
  return x->rank < y->rank ? -1 : x->rank > y->rank;
}

/* Sets host_of[r] to the lowest rank on r's host. */
static bool find_lowest(const int32_t* memory, int n, int32_t* host_of) {
  located* all = malloc((size_t)n * sizeof *all);
  if (!all) return false;
  for (int r = 0; r < n; r++) all[r] = (located){memory[r], r};
  qsort(all, (size_t)n, sizeof *all, compare);
  for (int i = 0, lowest = 0; i < n; i++) {
    if (all[i].memory != all[lowest].memory) lowest = i;
    host_of[all[i].rank] = all[lowest].rank;
  }
  free(all);
  return true;
}

bool tfc_hosts_init(tfc_hosts* hosts, int n_ranks, const int32_t* memory) {
  size_t n = (size_t)n_ranks;
  *hosts = (tfc_hosts){.n_ranks = n_ranks};
  hosts->host_of = malloc(n * sizeof *hosts->host_of);
  hosts->first = calloc(n + 2, sizeof *hosts->first);
  hosts->members = malloc(n * sizeof *hosts->members);
  if (!hosts->host_of || !hosts->first || !hosts->members ||
      !find_lowest(memory, n_ranks, hosts->host_of)) {
    tfc_hosts_clear(hosts);
    return false;
  }
  int32_t* end = hosts->first + 1; /* of each host's members; at first where they begin */
  for (int r = 0; r < n_ranks; r++) {
    int lowest = hosts->host_of[r];
    hosts->host_of[r] = lowest < r ? hosts->host_of[lowest] : hosts->n_hosts++;
    end[hosts->host_of[r] + 1]++;
  }
  for (int h = 0; h < hosts->n_hosts; h++) end[h + 1] += end[h];
  for (int r = 0; r < n_ranks; r++) hosts->members[end[hosts->host_of[r]]++] = r;
  return true;
}

void tfc_hosts_clear(tfc_hosts* hosts) {
  free(hosts->host_of);
  free(hosts->first);
  free(hosts->members);
  *hosts = (tfc_hosts){.n_ranks = 0};
}

/* The largest power of two that is at most the number of hosts. */
static int core_of(const tfc_hosts* hosts) {
  int p = 1;
  while (p <= hosts->n_hosts / 2) p *= 2;
  return p;
}

tfc_tree tfc_tree_in_turn(const tfc_hosts* hosts, int64_t i) {
  int roots = hosts->n_hosts <= TFC_FEW_HOSTS ? hosts->n_hosts : core_of(hosts);
  int host = (int)(i % roots);
  tfc_tree tree = {.root = -1, .turn = (int32_t)(i / roots & INT32_MAX)};
  int n = hosts->first[host + 1] - hosts->first[host];
  tree.root = hosts->members[hosts->first[host] + tree.turn % n];
  return tree;
}

int tfc_tree_leader(const tfc_hosts* hosts, tfc_tree tree, int host) {
  if (hosts->host_of[tree.root] == host) return tree.root;
  int first = hosts->first[host], n = hosts->first[host + 1] - first;
  return hosts->members[first + tree.turn % n];
}

/* A root beyond the power of two, as a reduce-scatter may have, changes places with the host above
 * it. */
static int place_of(int p, int root, int host) {
  if (root < p) return host;
  return host == root ? root - p : host == root - p ? root : host;
}

static int parent_host(const tfc_hosts* hosts, int root, int host) {
  if (hosts->n_hosts <= TFC_FEW_HOSTS) return root;
  int p = core_of(hosts), place = place_of(p, root, host), top = place_of(p, root, root);
  int v = place ^ top;
  int parent = place >= p ? place - p : (v & (v - 1)) ^ top; /* without the lowest bit */
  return place_of(p, root, parent);
}

int tfc_tree_parent(const tfc_hosts* hosts, tfc_tree tree, int rank) {
  int host = hosts->host_of[rank], leader = tfc_tree_leader(hosts, tree, host);
  if (rank != leader) return leader;
  if (rank == tree.root) return -1;
  return tfc_tree_leader(hosts, tree, parent_host(hosts, hosts->host_of[tree.root], host));
}

int tfc_tree_children(const tfc_hosts* hosts, tfc_tree tree, int host, tfc_child_host* children) {
  int root = hosts->host_of[tree.root], n = 0;
  if (hosts->n_hosts <= TFC_FEW_HOSTS) {
    for (int h = 0; h < hosts->n_hosts && host == root; h++)
      if (h != root) children[n++] = (tfc_child_host){h, h < root};
    return n;
  }
  int p = core_of(hosts), place = place_of(p, root, host), top = place_of(p, root, root);
  if (place >= p) return 0;
  int beyond = place_of(p, root, place + p);
  if (place + p < hosts->n_hosts) children[n++] = (tfc_child_host){beyond, beyond < host};
  for (int bit = 1; bit < p && !((place ^ top) & bit); bit *= 2)
    children[n++] = (tfc_child_host){place_of(p, root, place ^ bit), (place & bit) != 0};
  return n;
}
