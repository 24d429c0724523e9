import { readdirSync } from 'node:fs'
import {
  constants,
  type IntervalHistogram,
  monitorEventLoopDelay,
  type PerformanceEntry,
  PerformanceObserver,
  performance,
} from 'node:perf_hooks'
import type { Metrics } from './metrics.ts'

const NANOSECONDS = 1e9

/** Sampling interval of the event loop, milliseconds. */
const LOOP_RESOLUTION = 10
/** Between two looks at whether the event loop is in use, milliseconds. */
const LOOK_INTERVAL = 1000
/** Share of time that this thread is not idle with a node that nobody asks, and more. */
const IN_USE = 0.05

const GC_BUCKETS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1]

const GC_KINDS: Readonly<Record<number, string>> = {
  [constants.NODE_PERFORMANCE_GC_MINOR]: 'minor',
  [constants.NODE_PERFORMANCE_GC_MAJOR]: 'major',
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL]: 'incremental',
  [constants.NODE_PERFORMANCE_GC_WEAKCB]: 'weak_callbacks',
}

/**
 * Declares the metrics of the process, and of event loop and garbage collection of this thread.
 * @param version of the program
 * @param lostLogEntries those that could not be written
 * @returns a function that stops the observation
 */
export function createProcessMetrics(
  metrics: Metrics,
  version: string,
  lostLogEntries: () => number,
): () => void {
  const { gauge, samples } = metrics
  gauge({
    name: 'build_info',
    help: 'Always 1; the labels say what runs.',
    labels: ['version', 'node', 'platform'],
  }).set({ version, node: process.version, platform: `${process.platform}-${process.arch}` }, 1)
  samples({
    type: 'counter',
    name: 'process_cpu_seconds_total',
    help: 'Processor time of all threads.',
    collect: () => {
      const { user, system } = process.cpuUsage()
      return [{ value: (user + system) / 1e6 }]
    },
  })
  gauge({
    name: 'process_start_time_seconds',
    help: 'When the process began, in seconds since 1970.',
  }).set(performance.timeOrigin / 1000)
  gauge({
    name: 'process_resident_bytes',
    help: 'Memory of the process, pages of the stores that are mapped into it included.',
    collect: (own) => own.set(process.memoryUsage.rss()),
  })
  samples({
    type: 'gauge',
    name: 'process_open_descriptors_count',
    help: 'Files and sockets that are open; nothing where the system does not say.',
    collect: () => openDescriptors().map((value) => ({ value })),
  })
  samples({
    type: 'counter',
    name: 'log_lost_entries_total',
    help: 'Entries of the log, without those of other threads, that were left out because the output is gone, full or not read.',
    collect: () => [{ value: lostLogEntries() }],
  })
  gauge({
    name: 'front_heap_bytes',
    help: 'JavaScript objects of the front thread.',
    collect: (own) => own.set(process.memoryUsage().heapUsed),
  })
  const stopLoop = watchLoop(metrics)
  const stopCollections = watchCollections(metrics)
  return () => {
    stopLoop()
    stopCollections()
  }
}

/** Delays are sampled while the thread is in use: samples wake it, and would be most of what an idle node costs. */
function watchLoop({ samples }: Metrics): () => void {
  // Made when it is needed first: one that was never enabled is a handle which only a garbage collection closes.
  let delay: IntervalHistogram | undefined
  let last = performance.eventLoopUtilization()
  const look = setInterval(() => {
    const now = performance.eventLoopUtilization()
    if (performance.eventLoopUtilization(now, last).utilization > IN_USE) {
      delay ??= monitorEventLoopDelay({ resolution: LOOP_RESOLUTION })
      delay.enable()
    } else delay?.disable()
    last = now
  }, LOOK_INTERVAL).unref()
  samples({
    type: 'gauge',
    name: 'front_event_loop_delay_seconds',
    help: 'How late the event loop of the front thread came since the last reading, in seconds in which it was in use, by quantile; 1 is the maximum.',
    collect: () => {
      const of = (quantile: string, nanoseconds = 0) => ({
        labels: { quantile },
        // An interval without samples has no values.
        value: Number.isFinite(nanoseconds)
          ? Math.max(0, nanoseconds / NANOSECONDS - LOOP_RESOLUTION / 1000)
          : 0,
      })
      const found = [of('0.5', delay?.percentile(50)), of('0.99', delay?.percentile(99)), of('1', delay?.max)]
      delay?.reset()
      return found
    },
  })
  samples({
    type: 'counter',
    name: 'front_active_seconds_total',
    help: 'Time in which the event loop of the front thread was not idle.',
    collect: () => [{ value: performance.eventLoopUtilization().active / 1000 }],
  })
  return () => {
    clearInterval(look)
    delay?.disable()
  }
}

function watchCollections({ histogram }: Metrics): () => void {
  const pauses = histogram({
    name: 'front_gc_pause_seconds',
    help: 'Garbage collections of the front thread, by kind.',
    labels: ['kind'],
    buckets: GC_BUCKETS,
  })
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as NodeGCPerformanceEntry[]) {
      pauses.observe({ kind: GC_KINDS[entry.detail.kind] ?? 'other' }, entry.duration / 1000)
    }
  })
  observer.observe({ entryTypes: ['gc'] })
  return () => observer.disconnect()
}

/** Members of an entry that the declarations of Node.js lack. */
type NodeGCPerformanceEntry = PerformanceEntry & { readonly detail: { readonly kind: number } }

function openDescriptors(): number[] {
  try {
    return [readdirSync('/proc/self/fd').length]
  } catch {
    return []
  }
}
