import { parentPort, workerData } from 'node:worker_threads'
import { ChainEnvironment } from '../../src/storage/chainEnvironment.ts'

const { folder, key, holds } = workerData as { folder: string; key: Uint8Array; holds?: boolean }
const environment = new ChainEnvironment(folder, { readOnly: true })

function answer(): void {
  parentPort?.postMessage(environment.get('headers', Buffer.from(key))?.length)
}

if (holds === true) environment.snapshot().get('headers', Buffer.from(key))
answer()
parentPort?.once('message', () => {
  environment.refresh()
  answer()
  environment.close().then(() => parentPort?.close())
})
