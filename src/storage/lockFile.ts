import { constants, copyFileSync, existsSync, linkSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Name of LMDB's table of readers, beside its data. */
const LOCK_FILE = 'lock.mdb'
const MODE = 0o600
/** Bytes for 1,022 readers of a cache line each, and for the header, in either build of LMDB. */
const FILE_BYTES = 65_616
/** Error codes of file systems without hard links. */
const NO_LINKS: ReadonlySet<unknown> = new Set(['EPERM', 'EOPNOTSUPP', 'ENOTSUP', 'ENOSYS'])

/**
 * Creates the lock file of an LMDB environment with all of its blocks allocated on disk (except on file
 * systems with compression, which do not store zeros), unless it exists. LMDB itself only sets the length and
 * writes through memory: if the disk is full by then, a reader that takes the first slot of a block ends the
 * process with a signal. An existing file is not opened, because closing it would release the locks that this
 * process may have on it.
 * @param folder of the environment, which exists
 * @throws Error of the system when the disk is full
 */
export function makeLockFile(folder: string): void {
  const path = join(folder, LOCK_FILE)
  if (existsSync(path)) return
  const temporary = `${path}.${process.pid}`
  try {
    writeFileSync(temporary, Buffer.alloc(FILE_BYTES), { mode: MODE })
    publish(temporary, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(temporary, { force: true })
  }
}

/** Renames a file, atomically where the file system can, and never over that of another process. */
function publish(temporary: string, path: string): void {
  try {
    linkSync(temporary, path)
  } catch (error) {
    if (!NO_LINKS.has((error as NodeJS.ErrnoException).code)) throw error
    copyFileSync(temporary, path, constants.COPYFILE_EXCL)
  }
}
