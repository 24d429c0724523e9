import type { MethodDefinition } from '../../src/rpc/defineMethod.ts'
import { METHODS, UNSUPPORTED_METHODS } from '../../src/rpc/methods.ts'
import type { Chance } from './chance.ts'
import type { Facts } from './facts.ts'
import { mutatedText } from './mutateJson.ts'
import { oddScalar, oddValue } from './oddJson.ts'
import { validParams } from './validParams.ts'

/** A key costs each of them a tenth of a second and more of hashing, by design, or they empty the chain. */
const SELDOM =
  /^(personal_(newAccount|newAccountWithSeed|importRawKey|unlockAccount|sendTransaction)|evm_reset|hardhat_mine|evm_mine)$/
const SELDOM_SHARE = 0.02

const NAMES: readonly { readonly name: string; readonly method: MethodDefinition }[] = METHODS.flatMap(
  (method) => [method.name, ...method.aliases].map((name) => ({ name, method })),
)

const ODD_NAMES = [
  ...UNSUPPORTED_METHODS,
  ...['', '_', 'eth_', 'ETH_CALL', 'eth_call ', 'eth.call', 'constructor', '__proto__', 'toString'],
  ...['eth_call\u0000', 'rsk_é', 'eth_nothing', 'shh_any', 'rpc.on', 'internal_logsPage', 'x'.repeat(5000)],
] as const

const VERSIONS = ['"2.0"', '"2.0"', '"1.0"', '2', 'null', '""', '{}'] as const

/** JSON text of one request: most are well formed outside and odd in the parameters. */
export function requestText(chance: Chance, metadata: Facts): string {
  const { name, method } = pickMethod(chance)
  const rate = chance.pick([0, 0.1, 0.2, 0.4])
  const params = mutatedText(chance, validParams(method, metadata, chance), rate)
  if (chance.happens(0.8)) {
    return `{"jsonrpc":"2.0","id":${chance.below(1_000_000)},"method":${JSON.stringify(name)},"params":${params}}`
  }
  return oddEnvelope(chance, chance.happens(0.3) ? chance.pick(ODD_NAMES) : name, params)
}

function pickMethod(chance: Chance) {
  for (;;) {
    const picked = chance.pick(NAMES)
    if (!SELDOM.test(picked.method.name) || chance.happens(SELDOM_SHARE)) return picked
  }
}

function oddEnvelope(chance: Chance, name: string, params: string): string {
  const members = [
    `"jsonrpc":${chance.pick(VERSIONS)}`,
    `"id":${chance.happens(0.6) ? oddScalar(chance) : oddValue(chance, 2)}`,
    `"method":${chance.happens(0.85) ? JSON.stringify(name) : oddValue(chance, 2)}`,
    `"params":${chance.happens(0.7) ? params : oddValue(chance)}`,
  ].filter(() => chance.happens(0.85))
  if (chance.happens(0.2)) members.push(chance.pick(members.length > 0 ? members : ['"id":1']))
  if (chance.happens(0.2)) members.push(`${JSON.stringify(`x${chance.hex(2)}`)}:${oddValue(chance)}`)
  if (chance.happens(0.3)) members.reverse()
  const space = chance.pick(['', '', ' ', '\n', '\t\r\n '])
  return `${space}{${space}${members.join(`${space},${space}`)}${space}}${space}`
}
