// Users' sources have all of it already: see ../user.cuh.
