// The usage page: asks for a key (or uses the sign-in), shows its figures and keeps them live over
// the event stream. The key is kept for this tab only and never becomes part of a URL.

const API = '/api/v1'
const KEPT_AS = 'entrepot.usage.key'
const MINUTES = 60
const MINUTE_MS = 60_000
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 15_000
const SVG = 'http://www.w3.org/2000/svg'

const element = (id) => document.getElementById(id)
const whole = new Intl.NumberFormat()
const clockTime = new Intl.DateTimeFormat(undefined, { hour: 'numeric', minute: '2-digit' })
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'long', timeZone: 'UTC' })

/** What the page knows; `key` is null while the sign-in is used. */
const state = {
  key: sessionStorage.getItem(KEPT_AS),
  figures: null,
  points: [],
  source: null,
  lastEventId: null,
  pauseMs: FIRST_PAUSE_MS,
  timer: undefined,
  /** How far the server's clock is ahead of this one. */
  aheadMs: 0,
  /** Whoever started before the last change of key must not go on. */
  turn: 0,
}

/** The server refused: what it said, for a person. */
class Refusal extends Error {
  constructor(status, message) {
    super(message)
    this.status = status
  }
}

async function ask(method, path) {
  const headers = state.key === null ? {} : { 'x-api-key': state.key }
  const answer = await fetch(API + path, { method, headers, cache: 'no-store' })
  const date = Date.parse(answer.headers.get('date') ?? '')
  if (!Number.isNaN(date)) state.aheadMs = date - Date.now()
  const body = await answer.json().catch(() => ({}))
  if (answer.ok) return body.data
  const said = typeof body.error === 'string' ? body.error : body.error?.message
  throw new Refusal(answer.status, said ?? `The server answered ${answer.status}`)
}

// Connection

async function start() {
  const turn = leave()
  await connect(turn)
}

/** Ends what is under way; returns the number of the turn that may begin now. */
function leave() {
  state.source?.close()
  state.source = null
  clearTimeout(state.timer)
  state.lastEventId = null
  state.pauseMs = FIRST_PAUSE_MS
  return ++state.turn
}

async function connect(turn) {
  try {
    const [figures, points] = await Promise.all([
      ask('GET', '/usage'),
      ask('GET', '/usage/series?interval=minute'),
    ])
    if (turn !== state.turn) return
    if (state.key !== null) sessionStorage.setItem(KEPT_AS, state.key)
    openDashboard()
    state.points = points
    showFigures(figures)
    const { ticket } = await ask('POST', '/stream-tickets')
    if (turn === state.turn) listen(turn, ticket)
  } catch (error) {
    if (turn === state.turn) recover(turn, error)
  }
}

function listen(turn, ticket) {
  const query = new URLSearchParams({ ticket })
  if (state.lastEventId) query.set('last_event_id', state.lastEventId)
  const source = new EventSource(`${API}/usage/stream?${query}`)
  state.source = source
  const on = (name, handler) =>
    source.addEventListener(name, (event) => {
      if (event.lastEventId) state.lastEventId = event.lastEventId
      handler(JSON.parse(event.data))
    })
  on('usage', (figures) => {
    state.pauseMs = FIRST_PAUSE_MS
    showStatus('Live', true)
    countLive(figures)
    showFigures(figures)
  })
  on('threshold', showThreshold)
  on('key', ({ status }) => {
    if (status === 'active') refreshSoon(turn)
  })
  on('end', ({ reason }) => {
    if (reason === 'shutdown') recover(turn, new Error('The server is restarting'))
    else openGate(reason === 'key_expired' ? 'API key expired' : 'API key revoked')
  })
  // A ticket serves once, so the browser's own attempts would be refused.
  source.onerror = () => recover(turn, new Error('The connection was lost'))
}

/** A refused credential needs a person; anything else is tried again. */
function recover(turn, error) {
  if (turn !== state.turn) return
  state.source?.close()
  state.source = null
  if (error instanceof Refusal && (error.status === 401 || error.status === 403)) {
    const isFirstVisit = state.key === null && state.figures === null
    openGate(isFirstVisit ? '' : error.message)
    return
  }
  if (element('dashboard').hidden && !element('gate').hidden)
    openGate(`${error.message}. Trying again…`)
  showStatus('Reconnecting…', false)
  clearTimeout(state.timer)
  state.timer = setTimeout(() => connect(turn), state.pauseMs * (0.75 + Math.random() / 2))
  state.pauseMs = Math.min(state.pauseMs * 2, LONGEST_PAUSE_MS)
}

function refreshSoon(turn) {
  ask('GET', '/usage')
    .then((figures) => turn === state.turn && showFigures(figures))
    .catch(() => {})
}

// What is shown

function openGate(problem) {
  leave()
  state.key = null
  state.figures = null
  sessionStorage.removeItem(KEPT_AS)
  element('dashboard').hidden = true
  element('status').hidden = true
  element('forget').hidden = true
  element('whose').textContent = ''
  element('notice').hidden = true
  element('gate').hidden = false
  showProblem(problem)
  element('key').focus()
}

function openDashboard() {
  element('gate').hidden = true
  element('dashboard').hidden = false
  element('key').value = ''
  element('forget').hidden = false
  element('forget').textContent = state.key === null ? 'Use a key instead' : 'Use another key'
  // The first eight characters name a key wherever it is listed; the rest is secret.
  element('whose').textContent =
    state.key === null ? 'All keys of your account' : `Key ${state.key.slice(0, 8)}…`
}

function showProblem(text) {
  const problem = element('key-problem')
  problem.textContent = text
  problem.hidden = text === ''
}

function showStatus(text, isLive) {
  const status = element('status')
  status.textContent = text
  status.classList.toggle('live', isLive)
  status.hidden = element('dashboard').hidden
  element('dashboard').classList.toggle('stale', !isLive)
}

function showFigures(figures) {
  state.figures = figures
  const { today, month, monthLimit, avgResponseMs, minute, minuteLimit, rejectedToday } = figures
  element('today').textContent = whole.format(today)
  element('month').textContent = whole.format(month)
  element('month-limit').textContent = monthLimit === null ? 'None' : whole.format(monthLimit)
  element('average').textContent = `${whole.format(avgResponseMs)} ms`
  element('today-note').textContent =
    rejectedToday > 0 ? `${whole.format(rejectedToday)} more refused` : 'requests served'
  element('minute-note').textContent =
    minuteLimit === null
      ? `${whole.format(minute)} this minute`
      : `${whole.format(minute)} of ${whole.format(minuteLimit)} this minute`
  showProgress(figures)
  drawChart()
}

function showProgress({ month, monthLimit, remaining, resetsAt }) {
  const share = monthLimit === null || monthLimit === 0 ? 0 : Math.min(1, month / monthLimit)
  const percent = Math.floor(share * 100)
  const progress = element('progress')
  progress.hidden = monthLimit === null
  progress.classList.toggle('near', percent >= 80 && percent < 100)
  progress.classList.toggle('full', percent >= 100)
  progress.setAttribute('aria-valuenow', String(percent))
  element('progress-bar').style.width = `${share * 100}%`
  element('progress-percent').textContent = monthLimit === null ? '' : `${percent} %`
  const resets = `starts again on ${day.format(new Date(resetsAt))} (UTC)`
  element('progress-note').textContent =
    monthLimit === null
      ? `${whole.format(month)} used; this plan has no monthly limit.`
      : `${whole.format(month)} of ${whole.format(monthLimit)} used, ${whole.format(remaining)} left; ${resets}.`
}

function showThreshold({ percent, used, limit }) {
  const notice = element('notice')
  notice.textContent =
    percent >= 100
      ? `The monthly limit of ${whole.format(limit)} is used up; further requests are refused.`
      : `${percent} % of this month is used: ${whole.format(used)} of ${whole.format(limit)}.`
  notice.classList.toggle('full', percent >= 100)
  notice.hidden = false
}

// The chart

/** Between two looks at the series the newest minute grows by what the figures grew. */
function countLive(figures) {
  const before = state.figures
  const last = state.points.at(-1)
  if (!before || !last) return
  last.requests += Math.max(0, figures.today - before.today)
  last.rejected += Math.max(0, figures.rejectedToday - before.rejectedToday)
}

/** Once a minute the server's own series replaces what was counted here. */
async function follow() {
  const last = state.points.at(-1)
  const isOver = last && Date.now() + state.aheadMs >= Date.parse(last.at) + MINUTE_MS
  if (!isOver || element('dashboard').hidden) return
  const turn = state.turn
  try {
    const points = await ask('GET', '/usage/series?interval=minute')
    if (turn !== state.turn) return
    state.points = points
    drawChart()
  } catch {
    // The stream finds out what is wrong; until then the chart stands still.
  }
}

function drawChart() {
  const holder = element('chart')
  const { points } = state
  const width = Math.max(280, holder.clientWidth)
  const height = Math.max(180, holder.clientHeight)
  const area = { left: 36, top: 8, width: width - 44, height: height - 34 }
  const top = niceTop(Math.max(...points.map((point) => point.requests + point.rejected), 1))
  const svg = draw('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img' })
  svg.setAttribute('aria-label', describe(points))
  for (const value of [0, top / 2, top]) drawLevel(svg, area, value, top)
  points.forEach((point, place) => {
    drawMinute(svg, area, { point, place, top })
  })
  holder.replaceChildren(svg)
  element('chart-note').textContent = describe(points)
}

function drawLevel(svg, { left, top: above, width, height }, value, top) {
  const y = above + height - (value / top) * height
  svg.append(draw('line', { class: 'grid', x1: left, x2: left + width, y1: y, y2: y }))
  const label = draw('text', { x: left - 8, y: y + 4, 'text-anchor': 'end' })
  label.textContent = whole.format(value)
  svg.append(label)
}

function drawMinute(svg, area, { point, place, top }) {
  const step = area.width / MINUTES
  const x = area.left + place * step
  const bottom = area.top + area.height
  const gap = Math.min(2, step / 4)
  let y = bottom
  const parts = [
    ['served', point.requests - point.errors],
    ['errors', point.errors],
    ['rejected', point.rejected],
  ]
  for (const [kind, count] of parts) {
    if (count <= 0) continue
    const tall = Math.max(1, (count / top) * area.height)
    y -= tall
    svg.append(
      draw('rect', { class: kind, x: x + gap / 2, y, width: step - gap, height: tall, rx: 1 }),
    )
  }
  const at = new Date(point.at)
  const every = area.width < 420 ? 20 : 10
  if (at.getMinutes() % every === 0) drawTime(svg, { x: x + step / 2, y: bottom + 18, at, area })
  const cover = draw('rect', { class: 'minute', x, y: area.top, width: step, height: area.height })
  const title = draw('title', {})
  title.textContent = `${clockTime.format(at)}: ${summary(point)}`
  cover.append(title)
  svg.append(cover)
}

function drawTime(svg, { x, y, at, area }) {
  const right = area.left + area.width
  // At either end a centred text would be cut off.
  const anchor = x > right - 28 ? 'end' : x < area.left + 28 ? 'start' : 'middle'
  const inside = anchor === 'end' ? right : anchor === 'start' ? area.left : x
  const label = draw('text', { x: inside, y, 'text-anchor': anchor })
  label.textContent = clockTime.format(at)
  svg.append(label)
}

function summary({ requests, errors, rejected, avgResponseMs }) {
  const parts = [`${whole.format(requests)} served`]
  if (requests > 0 && avgResponseMs > 0) parts.push(`${whole.format(avgResponseMs)} ms on average`)
  if (errors > 0) parts.push(`${whole.format(errors)} with errors`)
  if (rejected > 0) parts.push(`${whole.format(rejected)} refused`)
  return parts.join(', ')
}

function describe(points) {
  const sum = (name) => points.reduce((all, point) => all + point[name], 0)
  const all = { requests: sum('requests'), errors: sum('errors'), rejected: sum('rejected') }
  if (all.requests + all.rejected === 0) return 'No requests in the last hour.'
  return `In the last hour ${summary({ ...all, avgResponseMs: 0 })}.`
}

/** An even 1, 2 or 5 times a power of ten, so that half of it is a whole number too. */
function niceTop(most) {
  const power = 10 ** Math.floor(Math.log10(most))
  const factor = [1, 2, 4, 6, 8, 10].find((each) => each * power >= most) ?? 10
  return Math.max(2, factor * power)
}

function draw(name, attributes) {
  const drawn = document.createElementNS(SVG, name)
  for (const [attribute, value] of Object.entries(attributes)) drawn.setAttribute(attribute, value)
  return drawn
}

// What a person does

element('key-form').addEventListener('submit', (event) => {
  event.preventDefault()
  const key = element('key').value.trim()
  if (key === '') return
  showProblem('')
  state.key = key
  start()
})
element('forget').addEventListener('click', () => openGate(''))
new ResizeObserver(() => drawChart()).observe(element('chart'))
setInterval(follow, 1_000)
start()
