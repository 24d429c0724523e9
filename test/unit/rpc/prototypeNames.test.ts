import t from 'tap'
import type { MethodDefinition } from '../../../src/rpc/defineMethod.ts'
import type { Json } from '../../../src/rpc/json.ts'
import { METHODS } from '../../../src/rpc/methods.ts'
import { Chance } from '../../fuzz/chance.ts'
import { createMetadata } from '../../fuzz/facts.ts'
import { validParams } from '../../fuzz/validParams.ts'
import { openDevNode } from './evm/devNode.ts'

/** Names that every object literal answers to: a table that is asked for what a client wrote must not find them. */
const NAMES = ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf'] as const

/** Methods that change so much that nothing can be asked after them. */
const NOT_ASKED: ReadonlySet<string> = new Set(['evm_reset', 'hardhat_reset', 'anvil_reset'])

const INTERNAL_ERROR = -32603

/** Of the valid parameters beside the name. */
const SEED = 17

t.test('names that objects inherit are unknown names to every method', async (t) => {
  const node = await openDevNode(t, { mining: true, wallet: true })
  const metadata = await createMetadata({ request: (method, params = []) => node.ask(method, ...params) })
  const chance = new Chance(SEED)
  let asked = 0
  for (const method of METHODS.filter(({ name }) => !NOT_ASKED.has(name))) {
    const { name } = method
    for (const values of valuesOf(method, () => validParams(method, metadata, chance))) {
      const { error } = await node.answer(name, ...values)
      asked += 1
      if (error?.code !== INTERNAL_ERROR) continue
      // The reference's own text where the node serves no miners (rpc.md §3.7).
      t.equal(name.split('_')[0], 'mnr', `${name} ${JSON.stringify(values)}: ${error.message}`)
    }
  }
  for (const name of NAMES) {
    for (const method of [name, `${name}_call`, `eth_${name}`]) {
      const { error } = await node.answer(method)
      t.match(error, { code: /^-3260[14]$/ }, method)
    }
  }
  t.ok(asked > METHODS.length)
})

/** Valid parameters with one of them replaced: by such a name, and by objects with such keys and values. */
function valuesOf(
  { params }: MethodDefinition,
  valid: () => readonly unknown[],
): readonly (readonly unknown[])[] {
  return NAMES.flatMap((name) => {
    const own = JSON.parse(`{"${name}": "0x1"}`) as Json
    return params.flatMap(({ schema }, index) =>
      [name, [name], own, objectOf(schema['properties'], name), objectOf(schema['properties'], own)].map(
        (replacement) => replaced(valid(), index, replacement),
      ),
    )
  })
}

/** An object that has every property that a schema names. */
function objectOf(properties: Json | undefined, value: Json): Json {
  const names = typeof properties === 'object' && properties !== null ? Object.keys(properties) : []
  return Object.fromEntries(names.map((name) => [name, value]))
}

function replaced(values: readonly unknown[], index: number, value: unknown): readonly unknown[] {
  return values.length <= index ? [...values, value] : values.map((own, at) => (at === index ? value : own))
}
