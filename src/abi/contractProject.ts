import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type ContractArtifact, readArtifact } from './artifact.ts'
import { beginsWith, withoutMetadata } from './codePattern.ts'
import type { AbiEntry } from './contractInterface.ts'

/** Files of a project that are read at most, and bytes of one. */
const MAX_FILES = 20_000
const MAX_BYTES = 32 * 1024 * 1024
/** Milliseconds in which files are not looked at again. */
const PAUSE = 1000
const SHORT_PAUSE = 100
/** Folders of the tools' own, whose files are large and no artifacts. */
const OTHER_FOLDERS: ReadonlySet<string> = new Set(['build-info', 'cache', 'node_modules'])

interface KnownFile {
  /** What tells whether it was written again. */
  readonly version: string
  readonly artifact: ContractArtifact | null
}

/**
 * The contracts of a project, read from its artifacts when they are first asked for and again when these have changed.
 * Files are read one at a time, so that requests are answered in between.
 */
export class ContractProject {
  readonly #folders: readonly string[]
  #files = new Map<string, KnownFile>()
  #artifacts: readonly ContractArtifact[] = []
  #lookedAt = Number.NEGATIVE_INFINITY
  #looking: Promise<void> | null = null

  /** @param folders in which artifacts are looked for; they need not exist */
  constructor(folders: readonly string[]) {
    this.#folders = folders
  }

  /** Number of contracts. */
  get size(): number {
    return this.#artifacts.length
  }

  /**
   * Reads what is new or changed, unless that was done a moment ago.
   * @param isMissed something was asked for that is not here: a build may have ended just now
   */
  async refresh(isMissed = false): Promise<void> {
    if (this.#folders.length === 0) return
    if (performance.now() - this.#lookedAt < (isMissed ? SHORT_PAUSE : PAUSE))
      return this.#looking ?? undefined
    this.#lookedAt = performance.now()
    this.#looking ??= this.#look().finally(() => {
      this.#looking = null
    })
    await this.#looking
  }

  /** The contract whose accounts have this code; null where none has. */
  ofCode(code: Buffer): ContractArtifact | null {
    const end = withoutMetadata(code)
    const found = this.#artifacts.find(
      ({ runtime }) => runtime !== null && runtime.code.length === end && beginsWith(code, runtime),
    )
    return found ?? null
  }

  /** The contract that this data creates, which are code and arguments; null where there is none. */
  ofCreation(data: Buffer): ContractArtifact | null {
    const matching = this.#artifacts.filter(({ creation }) => creation !== null && beginsWith(data, creation))
    const longest = (best: ContractArtifact, next: ContractArtifact) =>
      (next.creation?.code.length ?? 0) > (best.creation?.code.length ?? 0) ? next : best
    return matching.length === 0 ? null : matching.reduce(longest)
  }

  /** A function of any of the contracts, by the 8 hex digits of its selector. */
  function(selector: string): AbiEntry | null {
    return this.#find(({ contract }) => contract.functions.get(selector))
  }

  /** An error of any of the contracts, by the 8 hex digits of its selector. */
  error(selector: string): AbiEntry | null {
    return this.#find(({ contract }) => contract.errors.get(selector))
  }

  #find(entryIn: (artifact: ContractArtifact) => AbiEntry | undefined): AbiEntry | null {
    for (const artifact of this.#artifacts) {
      const entry = entryIn(artifact)
      if (entry !== undefined) return entry
    }
    return null
  }

  async #look(): Promise<void> {
    const paths: string[] = []
    for (const folder of this.#folders) await collect(folder, paths)
    const files = new Map<string, KnownFile>()
    for (const path of paths) {
      const known = await readKnown(path, this.#files.get(path))
      if (known !== null) files.set(path, known)
    }
    this.#files = files
    this.#artifacts = [...files.values()].flatMap(({ artifact }) => (artifact === null ? [] : [artifact]))
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

/** @returns null for a file that is gone again or too large */
async function readKnown(path: string, known: KnownFile | undefined): Promise<KnownFile | null> {
  try {
    const { mtimeMs, size, ino } = await stat(path)
    const version = `${mtimeMs} ${size} ${ino}`
    if (known?.version === version) return known
    if (size > MAX_BYTES) return null
    return { version, artifact: readArtifact(await readFile(path, 'utf8'), path) }
  } catch {
    return null
  }
}
