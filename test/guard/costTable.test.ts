import t from 'tap'
import { type Costs, findLess, findMore, type RequestCost } from './costTable.ts'

const COST: RequestCost = {
  functions: { 'src/front/http.ts': 7, 'src/front/httpExchange.ts': 9, 'src/gateway/gateway.ts': 50 },
  library: { forEach: 1, onData: 1, tryEnd: 1 },
  addon: { 'FastPath.answer': 1 },
  heap: 660,
  buffers: 0,
}

const rows = (more: Partial<RequestCost>): Costs => ({ 'dev, HTTP: eth_chainId': { ...COST, ...more } })
const found = (more: Partial<RequestCost>) => findMore(rows({}), rows(more))

t.test('what costs as much or less than the table says is no fault', async (t) => {
  t.same(found({}), [])
  t.same(found({ heap: 660 * 1.029 }), [])
  t.same(found({ heap: 300, library: { onData: 1 } }), [])
  t.same(findLess(rows({}), rows({ heap: 300 })), ['dev, HTTP: eth_chainId'])
  t.same(findLess(rows({}), rows({ heap: 650 })), [])
})

t.test('one more call, closure or buffer of a request is a fault that names what came', async (t) => {
  t.match(found({ functions: { ...COST.functions, 'src/front/http.ts': 9 } }), [
    /^dev, HTTP: eth_chainId: 68 functions called, not 66; src\/front\/http\.ts 7 → 9$/,
  ])
  t.match(found({ library: { ...COST.library, getHeader: 1 } }), [/library, not 3; getHeader 0 → 1$/])
  t.match(found({ addon: { 'FastPath.answer': 2 } }), [/native core, not 1; FastPath\.answer 1 → 2$/])
  t.match(found({ heap: 660 + 64 }), [/724 bytes of the heap, not 660$/])
  t.match(found({ buffers: 16 }), [/16 bytes of ArrayBuffers, not 0$/])
})

t.test('a row that only the table or only the count has is a fault', async (t) => {
  t.same(findMore(rows({}), {}), ['dev, HTTP: eth_chainId: is no longer counted'])
  t.same(findMore({}, rows({})), ['dev, HTTP: eth_chainId: is not in the table'])
})
