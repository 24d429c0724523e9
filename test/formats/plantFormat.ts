import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { open } from 'lmdb'

const BINARY = { keyEncoding: 'binary', encoding: 'binary' } as const
const FORMAT_KEY = Buffer.from('format')

/** Gives an LMDB store of the TypeScript side another record of its format; null takes it away. */
export async function plantFormat(folder: string, table: string, record: Buffer | null): Promise<void> {
  const root = open<Buffer, Buffer>({ path: folder, noSubdir: false, ...BINARY })
  const metadata = root.openDB<Buffer, Buffer>({ name: table, ...BINARY })
  if (record === null) metadata.removeSync(FORMAT_KEY)
  else metadata.putSync(FORMAT_KEY, record)
  await root.close()
}

/** Gives the state store another number. Its file is of another LMDB, so that it is changed where it stands. */
export function plantStateFormat(dataDir: string, format: number): void {
  const path = join(dataDir, 'state', 'data.mdb')
  const bytes = readFileSync(path)
  const present = Buffer.concat([FORMAT_KEY, Buffer.from([0, 0, 0, 2])])
  let found = 0
  for (let at = bytes.indexOf(present); at >= 0; at = bytes.indexOf(present, at + 1)) {
    bytes.writeUInt32BE(format, at + FORMAT_KEY.length)
    found += 1
  }
  if (found === 0) throw new Error(`${path} holds no record of format 2`)
  writeFileSync(path, bytes)
}
