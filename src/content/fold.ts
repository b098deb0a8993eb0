export { fold } from '#kernel'
