import { packFixture } from './fixture.ts'

const [source, name] = process.argv.slice(2)
if (source === undefined || name === undefined) throw new Error('packMain.ts DATA_DIR NAME')
packFixture(source, name)
