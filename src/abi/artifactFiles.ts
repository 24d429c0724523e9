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
  /** Reason why it cannot be read, for people; null for what is an artifact, or no artifact at all. */
  readonly fault: string | null
}

/** Artifacts of a project, read from its files, each of them again when it has changed. */
export class ArtifactFiles<T> {
  readonly #folders: readonly string[]
  readonly #read: (text: string, path: string) => T | null
  readonly #onFault: (path: string, fault: string) => void
  #files = new Map<string, ReadFile<T>>()

  /**
   * @param folders in which artifacts are looked for; they need not exist
   * @param read gives null for a file that is no artifact
   * @param onFault called once for each version of a file that cannot be read, when it is looked at for the second time:
   * until then a build may be writing it
   */
  constructor(
    folders: readonly string[],
    read: (text: string, path: string) => T | null,
    onFault: (path: string, fault: string) => void = () => undefined,
  ) {
    this.#folders = folders
    this.#read = read
    this.#onFault = onFault
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

  /** @returns null for a file that is gone again */
  async #readKnown(path: string): Promise<ReadFile<T> | null> {
    const known = this.#files.get(path)
    try {
      const { mtimeMs, size, ino } = await stat(path)
      const version = `${mtimeMs} ${size} ${ino}`
      if (known?.version === version) return this.#told(path, known)
      if (size > MAX_BYTES) return { version, content: null, fault: `it has more than ${MAX_BYTES} bytes` }
      const text = await readFile(path, 'utf8')
      const content = this.#read(text, path)
      return { version, content, fault: content === null && !isJson(text) ? 'it is no JSON' : null }
    } catch {
      return null
    }
  }

  #told(path: string, known: ReadFile<T>): ReadFile<T> {
    if (known.fault === null) return known
    this.#onFault(path, known.fault)
    return { ...known, fault: null }
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
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
