import t from 'tap'
import { descriptorLimit, mostConnections } from '../../../src/node/descriptors.ts'

const LIMITS = `Limit                     Soft Limit           Hard Limit           Units
Max processes             63432                63432                processes
Max open files            1024                 524288               files
`

t.test('the soft limit is read', (t) => {
  t.equal(descriptorLimit(LIMITS), 1024)
  t.equal(descriptorLimit(''), Number.POSITIVE_INFINITY)
  t.equal(descriptorLimit(LIMITS.replace('1024  ', 'unlimited')), Number.POSITIVE_INFINITY)
  t.end()
})

t.test('connections leave descriptors to stores and workers', (t) => {
  t.equal(mostConnections(0, 1024), 768)
  t.equal(mostConnections(100, 1024), 100)
  t.equal(mostConnections(10_000, 1024), 768)
  t.equal(mostConnections(0, 280), 70, 'a part where there are hardly any')
  t.equal(mostConnections(0, Number.POSITIVE_INFINITY), Number.POSITIVE_INFINITY)
  t.equal(mostConnections(50, Number.POSITIVE_INFINITY), 50)
  t.end()
})
