import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { BroadcastChannel, isMainThread } from 'node:worker_threads'

/** In every thread of a node under test: SIGUSR2 has all heaps collected, so that memory means what is kept. */
setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void
const channel = new BroadcastChannel('settle')
channel.onmessage = () => collect()
channel.unref()
if (isMainThread) {
  process.on('SIGUSR2', () => {
    channel.postMessage(null)
    collect()
  })
}
