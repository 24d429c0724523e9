import t from 'tap'
import { addon } from '../../../src/native/addon.ts'
import { EncodedObjectCache } from '../../../src/native/encodedObjectCache.ts'

const OBJECT_BYTES = 1024 * 1024
/** Result for what is no JSON. */
const NO_JSON = -3

function openPath() {
  const methods = [{ name: 'eth_chainId', index: 0, isCached: true, reportsReverts: false }]
  const path = new addon.FastPath(methods, 50, EncodedObjectCache.inMemory(OBJECT_BYTES).handle, OBJECT_BYTES)
  path.keepPlain(0, ',"result":"0x21"}')
  return path
}

const bytesOf = (text: string) => new TextEncoder().encode(text)
const BODY = bytesOf('{"jsonrpc":"2.0","id":7,"method":"eth_chainId","params":[]}')
const ANSWER = '{"jsonrpc":"2.0","id":7,"result":"0x21"}'

t.test('functions of the fast path answer without its object', async (t) => {
  const path = openPath()
  const out = new Uint8Array(8192)
  const [answer, run] = [path.answerFunction(false, out), path.runFunction(out)]
  for (const form of [BODY, BODY.buffer]) {
    out.fill(0)
    const end = answer(form)
    t.equal(new TextDecoder().decode(out.subarray(4096, end)), ANSWER)
  }
  t.equal(answer(bytesOf('{')), NO_JSON)
  t.equal(answer(new ArrayBuffer(0)), NO_JSON)
  t.equal(run(), 0, 'no call waits')
  const small = path.answerFunction(false, new Uint8Array(8))
  t.equal(small(BODY), 0, 'nothing is written where there is no room')
})

t.test('a function holds the memory that it writes to', async (t) => {
  const path = openPath()
  const outputs = Array.from({ length: 64 }, () => new Uint8Array(8192))
  const answers = outputs.map((out) => path.answerFunction(false, out))
  const held = answers.map((answer) => Object.getOwnPropertyDescriptor(answer, 'output'))
  for (const [place, out] of outputs.entries()) {
    t.match(held[place], { value: out, writable: false, configurable: false })
    t.equal(Reflect.deleteProperty(answers[place] as object, 'output'), false)
  }
  for (const [place, answer] of answers.entries())
    t.equal(new TextDecoder().decode(outputs[place]?.subarray(4096, answer(BODY))), ANSWER)
})

t.test('arguments of another kind are refused', async (t) => {
  const path = openPath()
  const answer = path.answerFunction(false, new Uint8Array(8192))
  const refused = { code: 'InvalidArgument' }
  // As every method of a native class says it.
  const noMemory = { code: 'InvalidArg' }
  for (const wrong of [
    undefined,
    null,
    'text',
    1,
    {},
    new Uint16Array(4),
    new DataView(new ArrayBuffer(8)),
  ]) {
    t.throws(() => answer(wrong as never), refused)
    t.throws(() => path.answerFunction(false, wrong as never), noMemory)
    t.throws(() => path.runFunction(wrong as never), noMemory)
  }
  t.throws(() => Reflect.apply(answer, undefined, []), refused)
})
