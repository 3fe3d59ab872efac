// libcuda.so.1 has no code of its own; see BUILD.
