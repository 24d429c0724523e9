import { readArtifactJson } from './artifact.ts'
import { ArtifactFiles } from './artifactFiles.ts'

/** Characters of all artifacts together: the page reads them at its start. */
const MAX_CHARACTERS = 4 * 1024 * 1024

/** The artifacts of a project as the node's page reads them. */
export interface PageArtifacts {
  /** JSON text of an array of `{ contractName, abi, deployedBytecode }`. */
  readonly text: string
  /** Artifacts that found no space in it. */
  readonly left: number
}

/**
 * The artifacts of a project for the node's page: ABI and deployed code, without what else compilers write. Contracts
 * with code come first, then by name.
 * @param folders in which artifacts are looked for; they need not exist
 * @returns reads what is new or changed
 */
export function createPageArtifacts(folders: readonly string[]): () => Promise<PageArtifacts> {
  const files = new ArtifactFiles(folders, toPage)
  return async () => {
    const found = (await files.look()).toSorted(
      (one, other) => Number(other.hasCode) - Number(one.hasCode) || one.name.localeCompare(other.name),
    )
    let characters = 0
    const fitting = found.filter(({ text }) => {
      if (characters + text.length > MAX_CHARACTERS) return false
      characters += text.length
      return true
    })
    return { text: `[${fitting.map(({ text }) => text).join(',')}]`, left: found.length - fitting.length }
  }
}

/** @returns null for a file that is no artifact, and for one whose ABI is empty */
function toPage(text: string, path: string): { name: string; hasCode: boolean; text: string } | null {
  const artifact = readArtifactJson(text, path)
  if (artifact === null || artifact.abi.length === 0) return null
  const { name: contractName, abi, deployedBytecode } = artifact
  const hasCode = typeof deployedBytecode === 'string' && deployedBytecode.length > 2
  return {
    name: contractName,
    hasCode,
    text: JSON.stringify({ contractName, abi, ...(hasCode ? { deployedBytecode } : {}) }),
  }
}
