// What is sealed with the master key, and passwords.
export { isLost, type LostSecret, resetKernelSecrets } from './lost-secrets.ts'
export { isMasterKeyKnown, loadMasterKey, type MasterKeys, verifyMasterKey } from './master-key.ts'
export { createPasswords, type Passwords } from './passwords.ts'
export { createSecretBox, type SecretBox } from './secret-box.ts'
