import { growStore } from './keptStore.ts'

const [dataDir = '', height = ''] = process.argv.slice(2)
process.stdout.write(`${JSON.stringify(await growStore(dataDir, Number(height)))}\n`)
