import { grow } from './grow.ts'

const [file = '', dataDir = '', height = ''] = process.argv.slice(2)
process.stdout.write(`${JSON.stringify(await grow(file, dataDir, Number(height)))}\n`)
