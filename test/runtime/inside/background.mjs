// The extension's background: opens its page, which runs the suite, as soon as the extension is loaded.
import { server } from './server.js'

chrome.tabs.create({ url: `page.html?places=extension&server=${encodeURIComponent(server)}` })
