/** What a browser shows at `GET /`. */
export const PAGE = `<!doctype html>
<meta charset="utf-8">
<title>Rhizome</title>
<h1>Rhizome</h1>
<p>A Rootstock node. It answers JSON-RPC 2.0 by <code>POST</code> and over WebSocket on this address.</p>
<pre>curl -H 'content-type: application/json' \\
  -d '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}' THIS_ADDRESS</pre>
`
