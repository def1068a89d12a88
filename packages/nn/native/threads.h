// A pool of threads for one loop at a time. Work is cut the same way for every number of threads.
#ifndef NN_THREADS_H
#define NN_THREADS_H
// Calls task(context, i) for every i < count on up to `threads` threads, this one included, and returns when all are
// done. If another thread of the process is using the pool, all of it runs here.
void nn_parallel_for(int threads, int count, void (*task)(void *context, int i), void *context);
#endif
