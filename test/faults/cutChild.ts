import { statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { reportLostPages } from '../../src/native/lostPages.ts'
import { stateRootAfter } from '../../src/state/stateRoot.ts'
import { TABLE_NAMES } from '../../src/storage/tables.ts'
import { openPatient } from './betweenActions.ts'

/** Cuts a store of a data directory that it has open to its meta pages and reads it; `program` as a program, else as a library. */
const [dataDir = '', store = '', as = ''] = process.argv.slice(2)

if (as === 'program') reportLostPages('error: lost', 4)
const { core } = openPatient(dataDir)
const { environment, stateStore, chain } = core.open
const path = join(dataDir, store, 'data.mdb')
truncateSync(path, 8192)
if (statSync(path).size !== 8192) throw new Error('it was not cut')
if (store === 'state') stateStore.checkRoot(stateRootAfter(core.spec, stateStore, chain.head))
else for (const table of TABLE_NAMES) for (const { value } of environment.entries(table)) value.equals(value)
throw new Error('everything could be read')
