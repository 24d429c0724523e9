import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Files of a project that are read at most, and bytes of one. */
const MAX_FILES = 20_000
const MAX_BYTES = 32 * 1024 * 1024
/** Folders of the tools' own, whose files are large and no artifacts. */
const OTHER_FOLDERS: ReadonlySet<string> = new Set(['build-info', 'cache', 'node_modules'])

/** Contents of a file as it was read. */
interface ReadFile<T> {
  /** Version that differs when it was written again. */
  readonly version: string
  readonly content: T | null
}

/** Artifacts of a project, read from its files, each of them again when it has changed. */
export class ArtifactFiles<T> {
  readonly #folders: readonly string[]
  readonly #read: (text: string, path: string) => T | null
  #files = new Map<string, ReadFile<T>>()

  /**
   * @param folders in which artifacts are looked for; they need not exist
   * @param read gives null for a file that is no artifact
   */
  constructor(folders: readonly string[], read: (text: string, path: string) => T | null) {
    this.#folders = folders
    this.#read = read
  }

  /** Reads what is new or changed, one file at a time, so that requests are answered in between. */
  async look(): Promise<readonly T[]> {
    const paths: string[] = []
    for (const folder of this.#folders) await collect(folder, paths)
    const files = new Map<string, ReadFile<T>>()
    for (const path of paths) {
      const known = await this.#readKnown(path)
      if (known !== null) files.set(path, known)
    }
    this.#files = files
    return [...files.values()].flatMap(({ content }) => (content === null ? [] : [content]))
  }

  /** @returns null for a file that is gone again or too large */
  async #readKnown(path: string): Promise<ReadFile<T> | null> {
    const known = this.#files.get(path)
    try {
      const { mtimeMs, size, ino } = await stat(path)
      const version = `${mtimeMs} ${size} ${ino}`
      if (known?.version === version) return known
      if (size > MAX_BYTES) return null
      return { version, content: this.#read(await readFile(path, 'utf8'), path) }
    } catch {
      return null
    }
  }
}

/** Adds the files below a folder that may be artifacts. */
async function collect(folder: string, paths: string[]): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  for (const entry of entries) {
    if (paths.length >= MAX_FILES) return
    if (entry.isDirectory()) {
      if (!OTHER_FOLDERS.has(entry.name)) await collect(join(folder, entry.name), paths)
    } else if (entry.name.endsWith('.json') && !entry.name.endsWith('.dbg.json')) {
      paths.push(join(folder, entry.name))
    }
  }
}
