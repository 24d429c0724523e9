import { basename } from 'node:path'
import { type CodePattern, readCode, readRuntimeCode } from './codePattern.ts'
import { type ContractInterface, readInterface } from './contractInterface.ts'

/** A contract of a project, as its compiler wrote it. */
export interface ContractArtifact {
  readonly name: string
  readonly contract: ContractInterface
  /** Code that creates it; null for an interface and an abstract contract. */
  readonly creation: CodePattern | null
  /** Code of its accounts, without metadata. */
  readonly runtime: CodePattern | null
}

/**
 * Reads an artifact of Hardhat, Foundry or Truffle.
 * @param text of the file
 * @param path of the file, which has the name where the text has none
 * @returns null for any other file
 */
export function readArtifact(text: string, path: string): ContractArtifact | null {
  const artifact = readArtifactJson(text, path)
  if (artifact === null) return null
  const { name, abi, bytecode, deployedBytecode } = artifact
  return {
    name,
    contract: readInterface(abi),
    creation: readCode(bytecode),
    runtime: readRuntimeCode(deployedBytecode),
  }
}

/** Artifact of a contract as any of the tools writes it, unread. */
export interface ArtifactJson {
  readonly name: string
  readonly abi: readonly unknown[]
  /** Text of code where the contract has any. */
  readonly bytecode: unknown
  readonly deployedBytecode: unknown
}

/** The parts of an artifact as they stand in its file; as {@link readArtifact}. */
export function readArtifactJson(text: string, path: string): ArtifactJson | null {
  const parsed = parse(text)
  if (typeof parsed !== 'object' || parsed === null) return null
  const { abi, contractName, bytecode, deployedBytecode } = parsed as Record<string, unknown>
  if (!Array.isArray(abi)) return null
  return {
    name: typeof contractName === 'string' ? contractName : basename(path, '.json'),
    abi,
    bytecode: codeOf(bytecode),
    deployedBytecode: codeOf(deployedBytecode),
  }
}

/** Foundry has the code in an object, the others as text. */
function codeOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? (value as { object?: unknown }).object : value
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // A file that is being written is read again when it has changed.
    return null
  }
}
