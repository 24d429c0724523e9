import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

/** What a test needs of a compiled contract. */
export interface Artefact {
  readonly contract: string
  readonly compiler: string
  readonly evmVersion: string
  readonly abi: readonly unknown[]
  /** Creation code, `0x` hex. */
  readonly bytecode: `0x${string}`
  /** Code of the account after creation, `0x` hex. */
  readonly deployedBytecode: `0x${string}`
}

/** Its opcodes are those of the newest Rootstock rules but BLOBHASH and BLOBBASEFEE, which no contract here uses. */
const EVM_VERSION = 'cancun'

/** Folder of the artefacts. */
export const ARTEFACTS_FOLDER: string = fileURLToPath(new URL('.', import.meta.url))

const SOURCES_FOLDER = fileURLToPath(new URL('source/', import.meta.url))

interface Solc {
  version(): string
  compile(input: string): string
}

interface CompilerOutput {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[]
  readonly contracts: Readonly<Record<string, Readonly<Record<string, CompiledContract>>>>
}

interface CompiledContract {
  readonly abi: readonly unknown[]
  readonly evm: {
    readonly bytecode: { readonly object: string }
    readonly deployedBytecode: { readonly object: string }
  }
}

/**
 * Compiles every contract of `source/` with the pinned compiler.
 * Metadata is left out of the code, so the bytes depend on the source's meaning alone.
 * @throws Error with the compiler's messages
 */
export function compileContracts(): Artefact[] {
  const solc: Solc = createRequire(import.meta.url)('solc')
  const names = readdirSync(SOURCES_FOLDER).sort()
  const input = {
    language: 'Solidity',
    sources: Object.fromEntries(
      names.map((name) => [name, { content: readFileSync(`${SOURCES_FOLDER}${name}`, 'utf8') }]),
    ),
    settings: {
      evmVersion: EVM_VERSION,
      optimizer: { enabled: true, runs: 200 },
      metadata: { appendCBOR: false, bytecodeHash: 'none' },
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object'] } },
    },
  }
  const output = JSON.parse(solc.compile(JSON.stringify(input))) as CompilerOutput
  const faults = (output.errors ?? []).map(({ formattedMessage }) => formattedMessage)
  if (faults.length > 0) throw new Error(faults.join('\n'))
  return Object.values(output.contracts).flatMap((contracts) =>
    Object.entries(contracts).map(([contract, { abi, evm }]) => ({
      contract,
      compiler: solc.version(),
      evmVersion: EVM_VERSION,
      abi,
      bytecode: `0x${evm.bytecode.object}` as const,
      deployedBytecode: `0x${evm.deployedBytecode.object}` as const,
    })),
  )
}
