import type { ContractArtifact } from '../../abi/artifact.ts'
import { consoleText } from '../../abi/consoleLog.ts'
import { type AbiEntry, entryText, selectorIn } from '../../abi/contractInterface.ts'
import type { ContractProject } from '../../abi/contractProject.ts'
import { decodeArguments } from '../../abi/decode.ts'
import { revertText } from '../../abi/failureText.ts'
import { argumentsText } from '../../abi/valueText.ts'
import type { ExecutionSummary, InvolvedContract } from '../../rpc/reports/executionReports.ts'
import { asBuffer, fromHex } from '../../util/bytes.ts'

/** An execution in words. */
export interface DescribedExecution {
  /** Name of the called or created contract, with `Proxy → Token` for one that runs the code of another; null if unknown. */
  readonly contract: string | null
  /** Method with its arguments, such as `transfer(0x…, 5)`; its selector where nothing is known of it; null without data. */
  readonly function: string | null
  readonly isCreation: boolean
  /** True when data were sent to an account that has no code. */
  readonly isCodeMissing: boolean
  /** Reason why it failed; null for a success. */
  readonly failure: string | null
  /** Output of `console.log`, which may have several lines each. */
  readonly console: readonly string[]
}

/** Contracts that are part of a node. */
const PRECOMPILED: ReadonlyMap<string, string> = new Map([
  ['0x0000000000000000000000000000000001000006', 'Bridge'],
  ['0x0000000000000000000000000000000001000008', 'REMASC'],
  ['0x0000000000000000000000000000000001000009', 'HDWalletUtils'],
  ['0x0000000000000000000000000000000001000010', 'BlockHeaderContract'],
  ['0x0000000000000000000000000000000001000011', 'Environment'],
])

/** Puts executions in words by the contracts of a project. */
export class ExecutionDescriber {
  readonly #project: ContractProject

  constructor(project: ContractProject) {
    this.#project = project
  }

  async describe(summary: ExecutionSummary): Promise<DescribedExecution> {
    await this.#project.refresh()
    const described = this.#describe(summary)
    if (!isUnknown(described)) return described
    await this.#project.refresh(true)
    return this.#describe(summary)
  }

  /** Reason why an execution failed, in Hardhat's words without what it begins them with. */
  async failure(failed: Pick<ExecutionSummary, 'error' | 'isRevert' | 'output'>): Promise<string> {
    await this.#project.refresh()
    const selector = selectorIn(fromHex(failed.output))
    if (failed.isRevert && selector !== null && this.#project.error(selector) === null)
      await this.#project.refresh(true)
    return this.#failureText(failed)
  }

  #describe(summary: ExecutionSummary): DescribedExecution {
    const { to, error, input } = summary
    const data = fromHex(input)
    const named = to === null ? this.#creation(data) : this.#call(to, data, summary.contracts)
    const [called] = summary.contracts
    const isCodeMissing =
      data.length > 0 && called !== undefined && called.code.length === 0 && !called.isPrecompiled
    return {
      ...named,
      isCreation: to === null,
      isCodeMissing,
      failure: error === null ? null : this.#failureText(summary),
      console: summary.console.map((call) => consoleText(fromHex(call)) ?? `(not decoded: ${call})`),
    }
  }

  #failureText({ error, isRevert, output }: Pick<ExecutionSummary, 'error' | 'isRevert' | 'output'>): string {
    if (!isRevert) return error ?? 'failed'
    return revertText(fromHex(output), (selector) => this.#project.error(selector))
  }

  #creation(data: Buffer): Pick<DescribedExecution, 'contract' | 'function'> {
    const artifact = this.#project.ofCreation(data)
    if (artifact === null) return { contract: null, function: null }
    const { constructorParameters: parameters } = artifact.contract
    const values = decodeArguments(parameters, data.subarray(artifact.creation?.code.length))
    const shown = values === null ? '…' : argumentsText(parameters, values)
    return { contract: artifact.name, function: `constructor(${shown})` }
  }

  #call(
    to: string,
    data: Buffer,
    contracts: readonly InvolvedContract[],
  ): Pick<DescribedExecution, 'contract' | 'function'> {
    const precompiled = contracts[0]?.isPrecompiled === true ? (PRECOMPILED.get(to) ?? 'precompiled') : null
    const artifacts = contracts.map(({ code }) =>
      code.length === 0 ? null : this.#project.ofCode(asBuffer(code)),
    )
    const [own = null, implementation = null] = artifacts
    const selector = selectorIn(data)
    const entry = selector === null ? null : this.#entry(selector, [own, implementation])
    const names = [own ?? null, implementation].flatMap((artifact) =>
      artifact === null ? [] : [artifact.name],
    )
    const hasCode = (contracts[0]?.code.length ?? 0) > 0
    return {
      contract: precompiled ?? (names.length === 0 ? null : names.join(' → ')),
      function: entry === null ? unnamedFunction(data, own, hasCode) : entryText(entry, data),
    }
  }

  #entry(selector: string, artifacts: readonly (ContractArtifact | null)[]): AbiEntry | null {
    for (const artifact of artifacts) {
      const entry = artifact?.contract.functions.get(selector)
      if (entry !== undefined) return entry
    }
    return this.#project.function(selector)
  }
}

/** Function that a call runs when it names no known one. */
function unnamedFunction(data: Buffer, own: ContractArtifact | null, hasCode: boolean): string | null {
  if (data.length === 0) {
    if (!hasCode || own === null) return null
    return own.contract.hasReceive ? 'receive()' : own.contract.hasFallback ? 'fallback()' : null
  }
  if (own?.contract.hasFallback === true) return 'fallback()'
  const selector = selectorIn(data)
  return selector === null ? null : `0x${selector}`
}

/** True when something of it may be in an artifact that was not read yet. */
function isUnknown({ contract, function: called, failure, isCodeMissing }: DescribedExecution): boolean {
  if (isCodeMissing) return false
  return (contract === null && called !== null) || failure?.includes('unrecognized') === true
}
