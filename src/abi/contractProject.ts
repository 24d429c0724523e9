import { type ContractArtifact, readArtifact } from './artifact.ts'
import { ArtifactFiles } from './artifactFiles.ts'
import { beginsWith, withoutMetadata } from './codePattern.ts'
import type { AbiEntry } from './contractInterface.ts'

/** Milliseconds in which files are not looked at again. */
const PAUSE = 1000
const SHORT_PAUSE = 100
/**
 * The contracts of a project, read from its artifacts when they are first asked for and again when these have changed.
 * Files are read one at a time, so that requests are answered in between.
 */
export class ContractProject {
  readonly #files: ArtifactFiles<ContractArtifact> | null
  #artifacts: readonly ContractArtifact[] = []
  #lookedAt = Number.NEGATIVE_INFINITY
  #looking: Promise<void> | null = null

  /**
   * @param folders in which artifacts are looked for; they need not exist
   * @param onFault called for each artifact that cannot be read, with the reason for people
   */
  constructor(folders: readonly string[], onFault?: (path: string, fault: string) => void) {
    this.#files = folders.length === 0 ? null : new ArtifactFiles(folders, readArtifact, onFault)
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
    if (this.#files === null) return
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
    this.#artifacts = (await this.#files?.look()) ?? []
  }
}
