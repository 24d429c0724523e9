import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A file system of its own that is soon full. */
export interface SmallDisk {
  readonly path: string
  /** Fills it up to so many bytes. */
  fill(free: number): void
  /** Makes room again. */
  empty(): void
  unmount(): void
}

/** Why none can be made here; null when one can. */
export function whyNoSmallDisk(): string | null {
  const disk = mountSmallDisk(1)
  if (disk === null) return 'no file system may be mounted here (it takes root)'
  disk.unmount()
  return null
}

/** Mounts one in memory; null where that is not allowed. */
export function mountSmallDisk(mebibytes: number): SmallDisk | null {
  const path = mkdtempSync(join(tmpdir(), 'rhizome-disk-'))
  const remove = () => rmSync(path, { recursive: true, force: true })
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs', path])
  if (mounted.status !== 0) {
    remove()
    return null
  }
  const ballast = join(path, 'ballast')
  return {
    path,
    fill: (free) => {
      const { bavail, bsize } = statfsSync(path)
      try {
        writeFileSync(ballast, Buffer.alloc(Math.max(0, bavail * bsize - free)))
      } catch (error) {
        // Somebody else took a page meanwhile: it is as full as it can be.
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
      }
    },
    empty: () => rmSync(ballast, { force: true }),
    unmount: () => {
      // What still maps a file of it goes first.
      spawnSync('umount', ['--lazy', path])
      remove()
    },
  }
}
