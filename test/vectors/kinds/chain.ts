import type { ChainStoreReader } from '../../../src/chain/chainStoreReader.ts'
import { parseBlock } from '../../../src/chain/codec/block.ts'
import type { BlockHeader } from '../../../src/chain/codec/header.ts'
import type { OptionalRule } from '../../../src/chain/validation/blockRules.ts'
import type { ActivationHeights } from '../../../src/config/activations.ts'
import { createNetworkSpec } from '../../../src/config/networkSpec.ts'
import { networkByName } from '../../../src/config/networks/byName.ts'
import type { NetworkName } from '../../../src/config/networks/names.ts'
import { fromHex } from '../../../src/util/bytes.ts'
import { collect } from '../../support/jsonLines.ts'
import type { CaseValues, Comparison } from '../comparison.ts'
import { stateFromTrie, type TrieEntry } from '../genesisTrie.ts'
import { importChain } from '../importChain.ts'

interface ChainLine {
  readonly network: string
  readonly configName?: NetworkName
  readonly activationHeights: Partial<ActivationHeights>
  readonly bestHash?: string
  readonly bestNumber?: number
  readonly chainId?: number
  readonly namedBlocks?: Readonly<Record<string, string>>
}
interface TransactionLine {
  readonly hash: string
  readonly rlp: string
  readonly gasUsed: string
  readonly cumulativeGas: string
  readonly status: string
  readonly logs: number
  readonly receiptRlp: string
}
interface BlockLine {
  readonly number: number
  readonly hash: string
  readonly rlp: string
  readonly main: boolean
  readonly inStore?: boolean
  readonly uncles: readonly (string | { readonly hash: string })[]
  readonly txs: readonly TransactionLine[]
  readonly genesisTrie?: readonly TrieEntry[]
  readonly genesisTrieRoot?: string
}

/** chain-*.jsonl: a chain of a network; every rule applies. */
export function compareChain(
  lines: AsyncIterable<unknown>,
  comparison: Comparison,
  path: string,
): Promise<void> {
  return compare(lines, comparison, path, { disabledRules: new Set(), systemContractsInParallel: false })
}

/** What the reference's scenario tests leave out and their blocks break. */
const SCENARIO_RULES: ReadonlySet<OptionalRule> = new Set([
  'proofOfWork',
  'remascTransaction',
  'difficulty',
  'gasLimitRange',
  'minimumGasLimit',
])

/** dsl/*.jsonl: chains of the reference's scenario tests. */
export function compareScenario(
  lines: AsyncIterable<unknown>,
  comparison: Comparison,
  path: string,
): Promise<void> {
  return compare(lines, comparison, path, {
    disabledRules: SCENARIO_RULES,
    systemContractsInParallel: true,
  })
}

async function compare(
  lines: AsyncIterable<unknown>,
  comparison: Comparison,
  path: string,
  rules: { disabledRules: ReadonlySet<OptionalRule>; systemContractsInParallel: boolean },
): Promise<void> {
  const [config, ...blocks] = (await collect(lines)) as [ChainLine, ...BlockLine[]]
  const network = networkByName(config.configName ?? (config.network.replace(/^--/, '') as NetworkName))
  const spec = createNetworkSpec(network, { activationHeights: config.activationHeights })
  const [genesis, ...others] = blocks.filter((line) => line.inStore !== false)
  if (genesis === undefined) throw new Error('no genesis line')
  let genesisRoot: Buffer | null = null
  await importChain(
    {
      path,
      spec,
      ...rules,
      genesis: (writer) => {
        const block = parseBlock(spec, fromHex(genesis.rlp))
        genesisRoot = writer.writeGenesisState(stateFromTrie(genesis.genesisTrie ?? []))
        writer.keepRoot(block.header, genesisRoot)
        return block
      },
    },
    ({ chain }, report) => {
      comparison.case('genesis', (values) => {
        values.equal(
          'state root',
          genesis.genesisTrieRoot ?? parseBlock(spec, fromHex(genesis.rlp)).header.fields.stateRoot,
          genesisRoot,
        )
        compareBlock(genesis, chain.reader, values)
      })
      comparison.case('import', (values) => {
        values.equal('first invalid block', null, report.invalid?.message)
        values.equal('blocks without parent', 0, report.orphans)
        values.equal('best block', config.bestHash ?? bestOf(blocks), chain.head.hash)
        if (config.bestNumber !== undefined) values.equal('height', config.bestNumber, chain.head.number)
        if (config.chainId !== undefined) values.equal('chain id', config.chainId, spec.chainId)
        const recorded = new Set(blocks.map((line) => line.hash))
        for (const [name, hash] of Object.entries(config.namedBlocks ?? {})) {
          values.equal(`block ${name} is recorded`, true, recorded.has(hash))
        }
      })
      for (const line of others) {
        comparison.case(`block ${line.number} ${line.hash}`, (values) =>
          compareBlock(line, chain.reader, values),
        )
      }
    },
  )
}

function bestOf(blocks: readonly BlockLine[]): string | undefined {
  return blocks.findLast((line) => line.main)?.hash
}

function compareBlock(line: BlockLine, reader: ChainStoreReader, values: CaseValues): void {
  const hash = fromHex(line.hash)
  const block = reader.blockByHash(hash)
  values.equal('stored', true, block !== null)
  if (block === null) return
  values.equal('RLP', line.rlp, block.encoded)
  values.equal('canonical', line.main, reader.isCanonical(hash))
  const unitrieRoot = recordedOf(line, 'unitrieRoot')
  if (unitrieRoot !== undefined) values.equal('Unitrie root', unitrieRoot, block.header.fields.stateRoot)
  values.equal(
    'total difficulty',
    recordedOf(line, 'totalDifficulty'),
    reader.totalDifficulty(hash)?.toString(),
  )
  values.equal(
    'cumulative difficulty',
    recordedOf(line, 'cumulativeDifficulty'),
    block.cumulativeDifficulty.toString(),
  )
  values.equal(
    'uncles',
    line.uncles.map((uncle) => (typeof uncle === 'string' ? uncle : uncle.hash)),
    block.uncles.map((uncle) => uncle.hash),
  )
  compareHeader(line, block.header, values)
  const receipts = reader.receipts(block) ?? []
  const encoded = reader.encodedReceipts(block) ?? []
  values.equal('number of transactions', line.txs.length, block.transactions.length)
  values.equal('number of receipts', line.txs.length, receipts.length)
  line.txs.forEach((recorded, index) => {
    const receipt = receipts[index]
    values.equal(`transaction ${index}`, recorded.hash, block.transactions[index]?.hash)
    values.equal(`transaction ${index} RLP`, recorded.rlp, block.transactions[index]?.encoded)
    values.equal(`gas of ${index}`, recorded.gasUsed, receipt?.gasUsed.toString())
    values.equal(`cumulative gas of ${index}`, recorded.cumulativeGas, receipt?.cumulativeGasUsed.toString())
    values.equal(`status of ${index}`, recorded.status, receipt?.success === true ? '0x01' : '0x')
    values.equal(`logs of ${index}`, recorded.logs, receipt?.logs.length)
    values.equal(`receipt ${index}`, recorded.receiptRlp, encoded[index])
  })
}

function compareHeader(line: BlockLine, header: BlockHeader, values: CaseValues): void {
  const { fields } = header
  const recorded = (key: string): unknown => recordedOf(line, key)
  values.equal('number', line.number, header.number)
  values.equal('hash', line.hash, header.hash)
  values.equal('parent hash', recorded('parentHash'), fields.parentHash)
  values.equal('state root', recorded('stateRoot'), fields.stateRoot)
  values.equal('receipts root', recorded('receiptsRoot'), fields.receiptTrieRoot)
  values.equal('transactions root', recorded('txTrieRoot'), fields.txTrieRoot)
  values.equal('uncles hash', recorded('unclesHash'), fields.unclesHash)
  values.equal('difficulty', recorded('difficulty'), header.difficulty.toString())
  values.equal('timestamp', recorded('timestamp'), Number(fields.timestamp))
  values.equal('coinbase', recorded('coinbase'), fields.coinbase)
  values.equal('gas limit', recorded('gasLimit'), header.gasLimit.toString())
  values.equal('gas used', String(recorded('gasUsed')), fields.gasUsed.toString())
  values.equal('minimum gas price', recorded('minimumGasPrice'), fields.minimumGasPrice?.toString())
  values.equal('paid fees', recorded('paidFees'), fields.paidFees.toString())
  values.equal('header version', recorded('headerVersion'), fields.version)
  values.equal('full header', recorded('header_getFullEncoded'), header.encodedFull)
  values.equal('raw header', recorded('header_getEncoded'), header.encodedRaw)
  values.equal('compressed header', recorded('header_getEncodedCompressed'), header.encodedCompressed)
  values.equal('hash for merged mining', recorded('hashForMergedMining'), header.hashForMergedMining())
}

function recordedOf(line: BlockLine, key: string): unknown {
  return (line as unknown as Readonly<Record<string, unknown>>)[key]
}
