import { dataDirStores } from '../../src/node/dataDirStores.ts'
import { migrateDataDir } from '../../src/node/migrateDataDir.ts'

/** Converts a data directory and kills itself after so many conversions. */
const [dataDir = '', conversions = ''] = process.argv.slice(2)

let converted = 0
await migrateDataDir({
  dataDir,
  stores: () => dataDirStores(dataDir),
  onProgress: () => {
    converted += 1
    if (converted === Number(conversions)) process.kill(process.pid, 'SIGKILL')
  },
})
