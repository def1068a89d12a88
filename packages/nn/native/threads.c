#include "threads.h"
#include <pthread.h>
#include <stdint.h>

#define MAX_THREADS 64

static pthread_mutex_t in_use = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work_came = PTHREAD_COND_INITIALIZER;
static pthread_cond_t work_done = PTHREAD_COND_INITIALIZER;
static int started; // helper threads that exist
static int allowed; // helper threads that may take part in this loop
static int next, total, finished;
static void (*run_task)(void *, int);
static void *run_context;

// With the lock held: takes tasks until none is left.
static void take_tasks(void) {
  while (next < total) {
    const int i = next++;
    pthread_mutex_unlock(&lock);
    run_task(run_context, i);
    pthread_mutex_lock(&lock);
    if (++finished == total) pthread_cond_signal(&work_done);
  }
}

static void *helper(void *argument) {
  const int id = (int)(intptr_t)argument;
  pthread_mutex_lock(&lock);
  for (;;) {
    while (next >= total || id >= allowed) pthread_cond_wait(&work_came, &lock);
    take_tasks();
  }
  return 0;
}

void nn_parallel_for(int threads, int count, void (*task)(void *, int), void *context) {
  if (threads <= 1 || count <= 1 || pthread_mutex_trylock(&in_use) != 0) {
    for (int i = 0; i < count; i++) task(context, i);
    return;
  }
  pthread_mutex_lock(&lock);
  const int helpers = (threads < MAX_THREADS ? threads : MAX_THREADS) - 1;
  while (started < helpers) {
    pthread_t id;
    if (pthread_create(&id, 0, helper, (void *)(intptr_t)started) != 0) break;
    pthread_detach(id);
    started++;
  }
  run_task = task;
  run_context = context;
  next = 0;
  finished = 0;
  total = count;
  allowed = helpers;
  pthread_cond_broadcast(&work_came);
  take_tasks();
  while (finished < total) pthread_cond_wait(&work_done, &lock);
  total = 0;
  pthread_mutex_unlock(&lock);
  pthread_mutex_unlock(&in_use);
}
