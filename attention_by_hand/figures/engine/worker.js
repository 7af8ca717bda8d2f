// The engine in a worker: requests come as messages, and so do the answers. The first message only
// says that it runs.

import { serve } from "./server.js";

const take = serve(postMessage);
globalThis.onmessage = ({ data }) => take(data);
postMessage("ready");
