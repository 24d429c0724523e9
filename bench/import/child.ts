import { measureImport } from './measureImport.ts'

const [file = '', dataDir = '', commitEvery = ''] = process.argv.slice(2)
process.stdout.write(`${JSON.stringify(await measureImport(file, dataDir, Number(commitEvery)))}\n`)
