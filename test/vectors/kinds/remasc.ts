import type { ConnectResult } from '../../../src/chain/blockchain.ts'
import { parseBlock } from '../../../src/chain/codec/block.ts'
import type { GenesisState } from '../../../src/chain/genesis.ts'
import { createGenesis } from '../../../src/chain/genesis.ts'
import type { ActivationHeights } from '../../../src/config/activations.ts'
import { createNetworkSpec, type NetworkSpec } from '../../../src/config/networkSpec.ts'
import { networkByName } from '../../../src/config/networks/byName.ts'
import type { NetworkName } from '../../../src/config/networks/names.ts'
import type { OpenChain } from '../../../src/execution/openChain.ts'
import { EMPTY_BYTES, fromHex, toHex } from '../../../src/util/bytes.ts'
import { collect } from '../../support/jsonLines.ts'
import { compareAccount } from '../accounts.ts'
import type { CaseValues, Comparison } from '../comparison.ts'
import { importChain } from '../importChain.ts'

const REMASC = '0x0000000000000000000000000000000001000008'

interface ConfigLine {
  readonly type: 'config'
  readonly network: NetworkName
  readonly genesisRlp: string
  readonly genesisHash: string
  readonly genesisStateRoot: string
  readonly chainId: number
  readonly remasc: RemascConstants
  readonly genesisJson: string | { readonly alloc: Readonly<Record<string, { readonly balance: string }>> }
  readonly activationHeights: Partial<ActivationHeights>
}
interface RemascConstants {
  readonly maturity: number
  readonly syntheticSpan: number
  readonly rskLabsAddress: string
  readonly rskLabsAddressRskip218: string
}
interface LogLine {
  readonly address: string
  readonly topics: readonly string[]
  readonly data: string
}
interface BlockLine {
  readonly type: 'block'
  readonly order: number
  readonly number: string
  readonly hash: string
  readonly parentHash: string
  readonly coinbase: string
  readonly paidFees: string
  readonly headerVersion: number
  readonly importResult: string
  readonly bestHashAfter: string
  readonly totalDifficulty: string
  readonly stateRoot: string
  readonly uncleHashes: readonly string[]
  readonly remascLogs: readonly LogLine[] | null
}
interface StateLine {
  readonly type: 'state'
  readonly number: string
  readonly blockHash: string
  readonly stateRoot: string
  readonly balances: Readonly<Record<string, string>>
  readonly remascStorage: Readonly<Record<string, string>>
}

interface Imported {
  readonly status: ConnectResult['status']
  readonly best: string
}

/** remasc*.jsonl: whole chains in the order in which they were connected, with reorganisations. */
export async function compareRemasc(
  lines: AsyncIterable<unknown>,
  comparison: Comparison,
  path: string,
): Promise<void> {
  const [config, ...records] = (await collect(lines)) as [ConfigLine, ...(BlockLine | StateLine)[]]
  const spec = createNetworkSpec(networkByName(config.network), {
    activationHeights: config.activationHeights,
  })
  const imported = new Map<string, Imported>()
  let best = config.genesisHash
  await importChain(
    {
      path,
      spec,
      genesis: (writer) => {
        const block = parseBlock(spec, fromHex(config.genesisRlp))
        const state = allocation(config)
        if (state === null) return createGenesis(spec, writer)
        const root = writer.addGenesisContracts(writer.writeGenesisState(state))
        comparison.case('genesis state', (values) => values.equal('root', config.genesisStateRoot, root))
        return block
      },
      onResult: (block, result) => {
        if (result.status === 'IMPORTED_BEST') best = toHex(result.change.head.hash)
        imported.set(toHex(block.hash), { status: result.status, best })
      },
    },
    (opened, report) => {
      comparison.case('constants', (values) => {
        values.equal('chain id', config.chainId, spec.chainId)
        values.equal('maturity', config.remasc.maturity, spec.remasc.maturity)
        values.equal('synthetic span', config.remasc.syntheticSpan, spec.remasc.syntheticSpan)
        values.equal('Labs', config.remasc.rskLabsAddress, spec.remasc.labsAddress)
        values.equal(
          'Labs from RSKIP218',
          config.remasc.rskLabsAddressRskip218,
          spec.remasc.labsAddressRskip218,
        )
      })
      comparison.case('import', (values) => {
        values.equal('first invalid block', null, report.invalid?.message)
        values.equal('genesis', config.genesisHash, opened.chain.reader.hashByNumber(0))
      })
      for (const record of records) compareRecord(spec, record, opened, imported, comparison)
    },
  )
}

function compareRecord(
  spec: NetworkSpec,
  record: BlockLine | StateLine,
  opened: OpenChain,
  imported: ReadonlyMap<string, Imported>,
  comparison: Comparison,
): void {
  if (record.type === 'block') {
    comparison.case(`block ${Number(record.number)} ${record.hash}`, (values) => {
      compareBlock(spec, record, opened, imported.get(record.hash), values)
    })
  } else if (record.type === 'state') {
    comparison.case(`state after ${record.blockHash}`, (values) => compareState(record, opened, values))
  } else {
    const { type } = record as { readonly type: unknown }
    comparison.case(`line of type ${String(type)}`, () => {
      throw new Error(`unknown type ${String(type)}`)
    })
  }
}

function compareBlock(
  spec: NetworkSpec,
  line: BlockLine,
  { chain }: OpenChain,
  imported: Imported | undefined,
  values: CaseValues,
): void {
  values.equal('result', line.importResult, imported?.status)
  values.equal('best block after it', line.bestHashAfter, imported?.best)
  const hash = fromHex(line.hash)
  const block = chain.reader.blockByHash(hash)
  values.equal('stored', true, block !== null)
  if (block === null) return
  values.equal('RLP', parseBlock(spec, block.encoded).hash, block.hash)
  const { fields } = block.header
  values.equal('number', line.number, BigInt(block.number))
  values.equal('parent', line.parentHash, fields.parentHash)
  values.equal('coinbase', line.coinbase, fields.coinbase)
  values.equal('paid fees', line.paidFees, fields.paidFees)
  values.equal('header version', line.headerVersion, fields.version)
  values.equal('state root', line.stateRoot, fields.stateRoot)
  values.equal('total difficulty', line.totalDifficulty, chain.reader.totalDifficulty(hash))
  values.equal(
    'uncles',
    line.uncleHashes,
    block.uncles.map((uncle) => uncle.hash),
  )
  if (line.remascLogs === null) return
  const logs = chain.reader.receipts(block)?.at(-1)?.logs ?? []
  values.equal('number of payments', line.remascLogs.length, logs.length)
  line.remascLogs.forEach((expected, index) => {
    values.equal(`payment ${index} by`, expected.address, logs[index]?.address)
    values.equal(`payment ${index} topics`, expected.topics, logs[index]?.topics)
    values.equal(`payment ${index}`, expected.data, logs[index]?.data)
  })
}

function compareState(line: StateLine, { chain, stateStore }: OpenChain, values: CaseValues): void {
  const header = chain.reader.headerByHash(fromHex(line.blockHash))
  values.equal('number', line.number, header && BigInt(header.number))
  values.equal('state root', line.stateRoot, header?.fields.stateRoot)
  if (header === null) return
  const state = { store: stateStore, root: header.fields.stateRoot }
  for (const [address, balance] of Object.entries(line.balances)) {
    const contract = stateStore.isContract(state.root, fromHex(address))
    compareAccount(values, state, address, { balance, contract })
  }
  for (const [slot, value] of Object.entries(line.remascStorage)) {
    values.equal(`cell ${slot}`, value, stateStore.storage(state.root, fromHex(REMASC), fromHex(slot)))
  }
}

/** Accounts of the chain's own genesis; null where it has the network's. */
function allocation(config: ConfigLine): GenesisState[] | null {
  if (typeof config.genesisJson === 'string') return null
  return Object.entries(config.genesisJson.alloc).map(([address, { balance }]) => ({
    address: fromHex(address),
    account: { nonce: 0n, balance: BigInt(balance) },
    isContract: false,
    code: EMPTY_BYTES,
    cells: [],
  }))
}
