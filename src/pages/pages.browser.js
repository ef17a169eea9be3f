// The one script of the payer's pages. Everything works without it; with it the page follows the
// payment by itself, copies at a tap and counts down. No dependency, no global.
const page = () => document.getElementById('page')
const announcer = document.getElementById('announcer')

/** Says it to screen readers; the same words twice in a row are said again. */
function announce(words) {
  announcer.textContent = ''
  if (words) setTimeout(() => (announcer.textContent = words), 100)
}

// Following ---------------------------------------------------------------------------------------

// A proxy may hold events back, and a phone's connection may die without an error: the server is
// asked every `poll` seconds until an event has come through, and now and then after that.
const ASK_ANYWAY_MS = 30_000
let source
let heard = false
let asked = Date.now()
let timer
let swapping

/** Listens while the page says that something can still change. */
function follow() {
  const { live, poll } = page().dataset
  clearInterval(timer)
  if (!live) return source?.close()
  timer = setInterval(() => {
    if (!heard || Date.now() - asked > ASK_ANYWAY_MS) look().catch(() => {})
  }, poll * 1000)
  if (!window.EventSource || (source && source.readyState < 2)) return
  source = new EventSource(`${live}/live`)
  source.addEventListener('state', (event) => {
    heard = true
    compare(JSON.parse(event.data).version).catch(() => {})
  })
  source.addEventListener('error', () => (heard = false))
}

/** Whether anything has changed; if so, the page shows it when the promise is done. */
async function look() {
  asked = Date.now()
  const answer = await fetch(`${page().dataset.live}/state`)
  if (!answer.ok) throw new Error(`The state answered ${answer.status}`)
  return compare((await answer.json()).version)
}

async function compare(version) {
  if (version === page().dataset.version) return false
  swapping ??= swap().finally(() => (swapping = undefined))
  await swapping
  return true
}

/** Puts the new page in place of the old one, keeping scroll, focus and a half-made choice. */
async function swap() {
  const answer = await fetch(location.pathname)
  if (!answer.ok) throw new Error(`The page answered ${answer.status}`)
  const next = new DOMParser().parseFromString(await answer.text(), 'text/html')
  const [before, after] = [page(), next.getElementById('page')]
  const [focused, top] = [document.activeElement, scrollY]
  const hadFocus = before.contains(focused)
  for (const select of before.querySelectorAll('select')) {
    const same = after.querySelector(`select[name="${select.name}"]`)
    const isChosen = select.value && !select.selectedOptions[0].defaultSelected
    if (same && isChosen) same.value = select.value
  }
  const [typed, empty] = [before.querySelector('#part'), after.querySelector('#part')]
  if (typed && empty && typed.value !== typed.defaultValue) empty.value = typed.value
  before.replaceWith(document.adoptNode(after))
  document.title = next.title
  // Another language may have been chosen in another tab.
  document.documentElement.lang = next.documentElement.lang
  // What had the focus may be gone with the old state; the amount tells of the new one.
  const target = document.getElementById(focused.id) || document.getElementById('amount')
  if (hadFocus) target?.focus({ preventScroll: true })
  scrollTo({ top, behavior: 'instant' })
  if (after.dataset.announce !== before.dataset.announce) announce(after.dataset.announce)
  tick()
  follow()
}

// Counting down -----------------------------------------------------------------------------------

// The server's clock decides: the payer's may be wrong, and a test clock may be ahead.
const ahead = Number(page().dataset.now || Date.now()) - Date.now()

function tick() {
  for (const time of document.querySelectorAll('[data-until]')) {
    const left = Math.max(0, Math.ceil((time.dataset.until - Date.now() - ahead) / 1000))
    const [h, m, s] = [Math.trunc(left / 3600), Math.trunc(left / 60) % 60, left % 60]
    const two = (n) => String(n).padStart(2, '0')
    time.textContent = h ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`
    time.parentElement.classList.toggle('soon', left < 120)
  }
}

// Adding up ---------------------------------------------------------------------------------------

const subtotal = document.getElementById('subtotal')

/** What the chosen goods cost at the prices that are shown. The server decides, and shows it next. */
function addUp() {
  const { locale, currency, decimals } = subtotal.dataset
  let minor = 0n
  for (const field of document.querySelectorAll('[name^="q-"]')) {
    const kind = document.querySelector(`[name="v-${field.name.slice(2)}"]`)
    const price = field.dataset.price ?? kind?.selectedOptions[0]?.dataset.price
    if (price && /^\d{1,7}$/.test(field.value)) minor += BigInt(price) * BigInt(field.value)
  }
  const fraction = { minimumFractionDigits: decimals, maximumFractionDigits: decimals }
  subtotal.querySelector('output').textContent = new Intl.NumberFormat(locale, {
    ...{ style: 'currency', currency, currencyDisplay: 'narrowSymbol', ...fraction },
  }).format(`${minor}e-${decimals}`)
}

if (subtotal) {
  addUp()
  document.addEventListener('input', addUp)
  // The way back fills the fields in again.
  addEventListener('pageshow', addUp)
}

// Looking at --------------------------------------------------------------------------------------

/** The kind that is chosen, or counted, is the one to be seen. */
function show(field) {
  const picture = field.closest?.('.goods li')?.querySelector('.product img')
  if (!picture || !/^[qv]-/.test(field.name)) return
  picture.dataset.first ??= picture.getAttribute('src')
  const { picture: own } = (field.selectedOptions?.[0] ?? field).dataset
  picture.src = own ?? picture.dataset.first
}
for (const event of ['focusin', 'change']) document.addEventListener(event, (e) => show(e.target))
addEventListener('pageshow', () => document.querySelectorAll('[name^="v-"]').forEach(show))

// Pressing ----------------------------------------------------------------------------------------

async function copy(button) {
  const { copy: text, copied, announce: words } = button.dataset
  try {
    await navigator.clipboard.writeText(text)
  } catch {
    // Plain http on a local network has no clipboard; selecting the text is the next best.
    getSelection().selectAllChildren(button.parentElement.querySelector('.value'))
    if (!document.execCommand('copy')) return
  }
  button.dataset.label ??= button.textContent
  button.textContent = copied
  announce(words)
  setTimeout(() => (button.textContent = button.dataset.label), 2000)
}

async function check(link) {
  const line = document.querySelector('[data-checked]')
  const changed = await look().catch(() => location.assign(link.href))
  if (changed === false) {
    line.textContent = line.dataset.checked
    announce(line.dataset.checked)
  }
}

document.addEventListener('click', (event) => {
  const pressed = event.target.closest('[data-copy], [data-print], [data-check]')
  if (!pressed || event.ctrlKey || event.metaKey || event.shiftKey) return
  event.preventDefault()
  if ('copy' in pressed.dataset) void copy(pressed)
  else if ('print' in pressed.dataset) print()
  else void check(pressed)
})

// A second tap on a slow network would ask twice.
document.addEventListener('submit', (event) => {
  if (event.target.dataset.sent) event.preventDefault()
  event.target.dataset.sent = 'yes'
})
addEventListener('pageshow', () => {
  for (const form of document.forms) delete form.dataset.sent
})

// Phones stop a page that is not in front, as it is while its owner dials.
document.addEventListener('visibilitychange', () => {
  if (document.hidden || !page().dataset.live) return
  look().catch(() => {})
  follow()
})

if (page().dataset.version) {
  setInterval(tick, 1000)
  follow()
}
