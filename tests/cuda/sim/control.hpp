// What tests decide about the executor and the stand-in run time, and may ask of it.
#pragma once

namespace tt::sim {

/// The order in which threads of a block, and blocks of a grid, get their turn.
enum class Order { forward, reverse, random };
/// Which streams move while the host waits for one. lazy: others move only where that one cannot;
/// eager: others first; shuffled: any.
enum class StreamOrder { lazy, eager, shuffled };

void set_order(Order order, unsigned seed);
void set_stream_order(StreamOrder order, unsigned seed);

/// How many devices there are from now on: 2, unless this is called. 0 is a machine without a driver.
void set_device_count(int count);

/// How often cudaSetDevice was called; CUDA makes a context at each first call for a device.
int set_device_calls();

/// After `successes` more calls of cudaMalloc and cudaHostAlloc, `failures` fail.
void fail_malloc(int successes, int failures);

/// After `successes` more calls of cudaEventQuery, one fails.
void fail_event_query(int successes);

}  // namespace tt::sim
