import t from 'tap'
import { isLoopback } from '../../../src/page/rpc/loopback.js'

t.test('names of this machine, as URLs have them', (t) => {
  for (const host of ['localhost:4444', '127.0.0.1:4444', '127.1:80', '[::1]:4444', 'LOCALHOST']) {
    t.equal(isLoopback(new URL(`http://${host}/`).hostname), true, host)
  }
  for (const host of [
    '192.168.1.5',
    '10.0.0.1',
    '[2001:db8::1]',
    'localhost.example',
    '127.0.0.1.example',
    'node.localhost',
    'example',
  ]) {
    t.equal(isLoopback(new URL(`http://${host}/`).hostname), false, host)
  }
  t.end()
})
