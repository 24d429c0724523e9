// Compiled by library.test.ts as users of the package compile it.
import { createNode, type DevelopmentNode, DevelopmentNodeError } from 'rhizome'

const node: DevelopmentNode = await createNode({
  process: 'child',
  accounts: { count: 2, balance: 1n },
  config: { callGasCap: 30_000_000 },
})
export const url: string = node.url
export const key: `0x${string}` | undefined = node.accounts[0]?.privateKey
// @ts-expect-error a name that is no option
await createNode({ prot: 1 })
// @ts-expect-error a value of another type
await createNode({ config: { callGasCap: 'x' } })
// @ts-expect-error a name that is no option of the schema
await createNode({ config: { nothing: 1 } })
try {
  await using other = await createNode({ signal: new AbortController().signal })
  await other.stop()
} catch (error) {
  if (error instanceof DevelopmentNodeError) throw new TypeError(error.code)
}
