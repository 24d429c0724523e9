import fc from 'fast-check'
import t, { type Test } from 'tap'
import { REVERT_FORMS, type RevertForm } from '../../../src/config/revertForm.ts'
import { type Caller, unlimitedCaller } from '../../../src/gateway/access/caller.ts'
import { defineMethod } from '../../../src/rpc/defineMethod.ts'
import { toErrorObject } from '../../../src/rpc/errors.ts'
import { METHODS } from '../../../src/rpc/methods.ts'
import { blockRef } from '../../../src/rpc/params/blockSelector.ts'
import { optional } from '../../../src/rpc/params/param.ts'
import { revertError } from '../../../src/rpc/simulation/revert.ts'
import { InterruptTable } from '../../../src/workers/interrupts.ts'
import { openAccess } from '../../support/accessScene.ts'
import { createLocalService, type LocalService } from '../../support/ask.ts'
import { keyRecord } from '../../support/keyRecords.ts'
import { openLocalNode } from '../../support/localNode.ts'
import { testFolder } from '../../support/testFolder.ts'

const REVERTS = `0x${'c0'.repeat(20)}`
const ECHOES = `0x${'c1'.repeat(20)}`
const HALTS = `0x${'c2'.repeat(20)}`
/** Reverts with its data, returns it, and an invalid instruction. */
const CODE = { [REVERTS]: '0x366000600037366000fd', [ECHOES]: '0x366000600037366000f3', [HALTS]: '0xfe' }

const word = (value: number) => value.toString(16).padStart(64, '0')
const REASON = `0x08c379a0${word(32)}${word(3)}${Buffer.from('why').toString('hex').padEnd(64, '0')}`
const PANIC = `0x4e487b71${word(0x11)}`
const CUSTOM = `0xdeadbeef${word(7)}`
const PAYLOADS = [REASON, PANIC, CUSTOM, '0x']

/** What a form says of a payload. */
function expectedError(form: RevertForm, data: string) {
  const reason = data === REASON ? 'why' : null
  return form === 'geth'
    ? {
        code: 3,
        message: reason === null ? 'execution reverted' : `execution reverted: ${reason}`,
        data,
      }
    : {
        code: -32015,
        message: `VM Exception while processing transaction: ${reason === null ? 'transaction reverted' : `revert ${reason}`}`,
        data,
      }
}

/** A method of this test; results that tell of reverts are kept wherever answers of real methods are. */
const spec = { doc: '', result: {}, cost: 1, cache: 'head' } as const
const told = Buffer.from(REASON.slice(2), 'hex')
const TEST_METHODS = [
  defineMethod({
    ...spec,
    name: 'test_told',
    params: [optional(blockRef(), { kind: 'tag', tag: 'latest' })],
    lane: 'inline',
    reportsReverts: true,
    handler: (_context, _params, { reverts }) => ({ ...toErrorObject(revertError(told), reverts) }),
  }),
  defineMethod({
    ...spec,
    name: 'test_toldByWorkers',
    params: [optional(blockRef(), { kind: 'tag', tag: 'latest' })],
    lane: 'read',
    reportsReverts: true,
    handler: async (_context, _params, { reverts }) => ({ ...toErrorObject(revertError(told), reverts) }),
  }),
  defineMethod({
    ...spec,
    name: 'test_plain',
    params: [],
    lane: 'inline',
    reportsReverts: true,
    handler: (_context, _params, { reverts }) => reverts,
  }),
  defineMethod({
    ...spec,
    name: 'test_silent',
    params: [optional(blockRef(), { kind: 'tag', tag: 'latest' })],
    lane: 'inline',
    handler: (_context, _params, { reverts }) => reverts,
  }),
  defineMethod({
    ...spec,
    name: 'test_silentError',
    params: [],
    lane: 'read',
    handler: () => {
      throw revertError(told)
    },
  }),
]

const interrupts = new InterruptTable()

function callerOf(form: RevertForm | null): Caller {
  const caller = unlimitedCaller(form ?? 'any')
  caller.reverts = form
  return caller
}

function askAs({ gateway }: LocalService, caller: Caller, body: string): Promise<string> {
  return new Promise((resolve) => {
    gateway.handle(Buffer.from(body), {
      caller,
      answer: (answer) => resolve(typeof answer === 'string' ? answer : Buffer.from(answer).toString('utf8')),
      onGone: undefined,
      gone: false,
    })
  })
}

const request = (method: string, params: unknown, id: unknown = 1) =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params })

/** A node with contracts, and services over it: one keeps nothing, the other whatever it can. */
async function openScene(t: Test, own: RevertForm) {
  const config = { dataDir: testFolder(t), accountQuota: false, revertErrors: own }
  const { context: alone, core } = openLocalNode(t, config)
  const context = { ...alone, interrupt: { flags: new Int32Array(interrupts.shared), slot: 0 } }
  const methods = [...METHODS, ...TEST_METHODS]
  const { stateStore } = core.open
  const fresh = createLocalService(context, { methods, responseCacheBytes: 0 })
  const keeping = createLocalService(context, { methods, responseCacheBytes: 1 << 20, stateStore })
  t.teardown(() => {
    fresh.close()
    keeping.close()
  })
  const command = async (method: string, ...params: unknown[]): Promise<unknown> => {
    const text = await askAs(fresh, callerOf(null), request(method, params))
    t.notMatch(text, /"error"/, method)
    for (const { gateway } of [fresh, keeping]) gateway.onChange()
    return (JSON.parse(text) as { result: unknown }).result
  }
  for (const [address, code] of Object.entries(CODE)) await command('hardhat_setCode', address, code)
  await command('evm_mine')
  return { fresh, keeping, command }
}

type Scene = Awaited<ReturnType<typeof openScene>>

const call = (to: string, data: string) => ({ to, data })

/** Every request whose answer may tell of a revert, and some like them. */
const REQUESTS: readonly (readonly [method: string, params: unknown])[] = [
  ...PAYLOADS.flatMap((data) => [
    ['eth_call', [call(REVERTS, data), 'latest']] as const,
    ['eth_estimateGas', [call(REVERTS, data)]] as const,
    ['eth_createAccessList', [call(REVERTS, data), 'latest']] as const,
    ['eth_simulateV1', [{ blockStateCalls: [{ calls: [call(REVERTS, data)] }] }, 'latest']] as const,
    ['eth_call', [call(ECHOES, data), 'latest']] as const,
  ]),
  ['eth_call', [call(HALTS, '0x'), 'latest']],
  ['eth_estimateGas', [call(HALTS, '0x')]],
  ['eth_blockNumber', []],
  ['eth_getCode', [REVERTS, 'latest']],
  ['test_told', ['latest']],
  ['test_told', ['0x1']],
  ['test_told', []],
  ['test_toldByWorkers', ['latest']],
  ['test_plain', []],
  ['test_silent', ['latest']],
  ['test_silent', []],
  ['test_silentError', []],
]

/** Requests one after the other, or in a batch, by callers of either form, and changes of the head between them. */
const steps = fc.array(
  fc.oneof(
    {
      weight: 12,
      arbitrary: fc.record({
        wanted: fc.constantFrom(null, ...REVERT_FORMS),
        picks: fc.array(fc.nat(REQUESTS.length - 1), { minLength: 1, maxLength: 3 }),
        shape: fc.constantFrom('single', 'single', 'unusual', 'batch'),
      }),
    },
    { weight: 1, arbitrary: fc.constantFrom('mine' as const, 'rewind' as const) },
  ),
  { minLength: 30, maxLength: 60 },
)

function bodyOf(picks: readonly number[], shape: string): string {
  const bodies = picks.map((pick, id) => request(...(REQUESTS[pick] as (typeof REQUESTS)[number]), id))
  if (shape === 'batch') return `[${bodies.join()}]`
  // A member that ordinary requests do not have goes past the native core and the scan.
  return shape === 'unusual' ? (bodies[0] ?? '').replace('{', '{"more":1,') : (bodies[0] ?? '')
}

/** Whether interleaved callers get what they would get alone, and never the form of another. */
async function checkInterleaved(t: Test, { fresh, keeping, command }: Scene, own: RevertForm): Promise<void> {
  const callers = new Map([null, ...REVERT_FORMS].map((form) => [form, callerOf(form)]))
  await fc.assert(
    fc.asyncProperty(steps, async (sequence) => {
      const snapshot = await command('evm_snapshot')
      for (const step of sequence) {
        if (step === 'mine') await command('evm_mine')
        else if (step === 'rewind') {
          const here = await command('evm_snapshot')
          await command('evm_mine')
          await command('evm_revert', here)
        } else {
          const { wanted, picks, shape } = step
          const body = bodyOf(picks, shape)
          const caller = callers.get(wanted) as Caller
          const found = await askAs(keeping, caller, body)
          if (found !== (await askAs(fresh, caller, body))) throw new Error(`${wanted} ${body}: ${found}`)
          const foreign = (wanted ?? own) === 'geth' ? /VM Exception[^}]*"data"/ : /execution reverted/
          if (!body.includes('test_silentError') && foreign.test(found))
            throw new Error(`${wanted} ${body}: ${found}`)
        }
      }
      await command('evm_revert', snapshot)
    }),
    { numRuns: 10 },
  )
  t.pass(own)
}

for (const own of REVERT_FORMS) {
  t.test(`callers of either form side by side, on a node whose own is ${own}`, async (t) => {
    const scene = await openScene(t, own)
    await checkInterleaved(t, scene, own)
    // Rules of headers change where block 449 is; behind it the chain goes back below it.
    const below = await scene.command('evm_snapshot')
    await scene.command('hardhat_mine', '0x1c8')
    await checkInterleaved(t, scene, own)
    await scene.command('evm_revert', below)
    await checkInterleaved(t, scene, own)
    t.ok(scene.keeping.gateway.responseCache.hits > 0)
  })

  t.test(`what callers are told of reverts, on a node whose own is ${own}`, async (t) => {
    const { keeping } = await openScene(t, own)
    for (const wanted of [null, ...REVERT_FORMS]) {
      const form = wanted ?? own
      const asked = async (method: string, params: unknown) =>
        JSON.parse(await askAs(keeping, callerOf(wanted), request(method, params)))
      for (const data of PAYLOADS) {
        const error = expectedError(form, data)
        t.same(await asked('eth_call', [call(REVERTS, data), 'latest']), { jsonrpc: '2.0', id: 1, error })
        t.same(await asked('eth_estimateGas', [call(REVERTS, data)]), { jsonrpc: '2.0', id: 1, error })
        t.match(await asked('eth_createAccessList', [call(REVERTS, data), 'latest']), {
          result: { error: error.message },
        })
        const blocks = { blockStateCalls: [{ calls: [call(REVERTS, data)] }] }
        t.match(await asked('eth_simulateV1', [blocks, 'latest']), { result: [{ calls: [{ error }] }] })
      }
      t.match(await asked('eth_call', [call(HALTS, '0x'), 'latest']), { error: { code: -32015 } })
      t.match(await asked('eth_estimateGas', [call(HALTS, '0x')]), { error: { code: -32000 } })
      t.equal((await asked('test_plain', [])).result, form)
      t.equal((await asked('test_silent', ['latest'])).result, 'reference', 'its answers are kept for all')
      t.equal((await asked('test_silentError', [])).error.code, -32015)
    }
  })
}

t.test('a key has its form, which may change while a node runs', async (t) => {
  const { keeping } = await openScene(t, 'reference')
  const revertErrors = 'geth' as const
  const { admission, book, caller } = openAccess([keyRecord('one'), keyRecord('two', { revertErrors })])
  const body = request('eth_call', [call(REVERTS, REASON), 'latest'])
  const codes = async () =>
    Promise.all(
      ['/one-secret', '/two-secret'].map(
        async (path) => JSON.parse(await askAs(keeping, caller(path), body)).error.code as number,
      ),
    )
  t.same(await codes(), [-32015, 3])
  const open = caller('/two-secret')
  book.set([keyRecord('one', { revertErrors }), keyRecord('two', { revertErrors: 'reference' })])
  admission.refresh()
  t.same(await codes(), [3, -32015])
  t.equal(
    JSON.parse(await askAs(keeping, open, body)).error.code,
    -32015,
    'on connections that are open, too',
  )
})

t.test('the methods that tell of reverts say so', (t) => {
  const names = METHODS.filter(({ reportsReverts }) => reportsReverts).map(({ name }) => name)
  t.same(names.sort(), ['eth_call', 'eth_createAccessList', 'eth_estimateGas', 'eth_simulateV1'])
  t.end()
})
