import t from 'tap'
import { addon } from '../../../src/native/addon.ts'
import { EncodedObjectCache } from '../../../src/native/encodedObjectCache.ts'

const OBJECT_BYTES = 1024 * 1024
/** Result for what is no JSON. */
const NO_JSON = -3

function openFunction() {
  const methods = [{ name: 'eth_chainId', index: 0, isCached: true, reportsReverts: false }]
  const path = new addon.FastPath(methods, 50, EncodedObjectCache.inMemory(OBJECT_BYTES).handle, OBJECT_BYTES)
  path.keepPlain(0, ',"result":"0x21"}')
  return { answer: path.answerFunction(false), run: path.runFunction() }
}

const bytesOf = (text: string) => new TextEncoder().encode(text)

t.test('functions of the fast path answer without its object', async (t) => {
  const { answer, run } = openFunction()
  const out = new Uint8Array(8192)
  const body = bytesOf('{"jsonrpc":"2.0","id":7,"method":"eth_chainId","params":[]}')
  const expected = '{"jsonrpc":"2.0","id":7,"result":"0x21"}'
  for (const form of [body, body.buffer]) {
    const end = answer(form, out)
    t.equal(new TextDecoder().decode(out.subarray(4096, end)), expected)
  }
  t.equal(answer(bytesOf('{'), out), NO_JSON)
  t.equal(answer(new ArrayBuffer(0), out), NO_JSON)
  t.equal(answer(body, new Uint8Array(8)), 0, 'nothing is written where there is no room')
  t.equal(run(out), 0, 'no call waits')
})

t.test('arguments of another kind are refused', async (t) => {
  const { answer, run } = openFunction()
  const out = new Uint8Array(8192)
  const refused = { code: 'InvalidArgument' }
  for (const wrong of [undefined, null, 'text', 1, {}, new Uint16Array(4)]) {
    t.throws(() => answer(wrong as never, out), refused)
    t.throws(() => answer(out, wrong as never), refused)
    t.throws(() => run(wrong as never), refused)
  }
  t.throws(() => Reflect.apply(answer, undefined, []), refused)
  t.throws(() => Reflect.apply(run, undefined, []), refused)
})
