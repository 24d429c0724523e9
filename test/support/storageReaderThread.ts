import { parentPort, workerData } from 'node:worker_threads'
import { ChainEnvironment } from '../../src/storage/environment.ts'

const { folder, key } = workerData as { folder: string; key: Uint8Array }
const environment = new ChainEnvironment(folder, { readOnly: true })

function answer(): void {
  parentPort?.postMessage(environment.get('headers', Buffer.from(key))?.length)
}

answer()
parentPort?.once('message', () => {
  environment.refresh()
  answer()
  environment.close().then(() => parentPort?.close())
})
