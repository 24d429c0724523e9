import { BroadcastChannel, workerData } from 'node:worker_threads'
import type { PeerThreadSetup } from '../../src/node/peers/messages.ts'
import { runPeerThread } from '../../src/node/peers/runPeerThread.ts'
import { FAULTS, type Fault } from './peerFaults.ts'

const faults = new BroadcastChannel(FAULTS)
faults.unref()
faults.onmessage = (event) => {
  const { data } = event as { readonly data: Fault }
  if (data === 'throw') throw new Error('thrown by the test')
  process.exit(7)
}

/** Entry of the product's peer thread that fails when a test asks for it. */
await runPeerThread(workerData as PeerThreadSetup)
