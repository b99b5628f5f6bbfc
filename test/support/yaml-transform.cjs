/** How Jest loads YAML: as JSON, so that what it caches needs no parser. */
const { createHash } = require('node:crypto');

module.exports = {
  process: (text) => ({ code: `module.exports = ${JSON.stringify(require('yaml').parse(text))};` }),
  getCacheKey: (text) => createHash('sha256').update(text).digest('hex'),
};
