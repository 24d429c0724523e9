import { workerData } from 'node:worker_threads'
import type { PeerThreadSetup } from './messages.ts'
import { runPeerThread } from './runPeerThread.ts'

/** Entry of the peer thread. */
await runPeerThread(workerData as PeerThreadSetup)
