// Made from /api/v1/openapi.json by "npm run console:types". Not to be edited.
export interface paths {
    "/.well-known/oauth-authorization-server": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Where the OAuth endpoints are
         * @description The metadata of RFC 8414: endpoints, grants and methods of authentication. Client libraries configure themselves by it.
         */
        get: operations["getWellKnownOauthAuthorizationServer"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What changed, in order
         * @description Every change of an entry after a position, deletions included, so that a mirror never reads everything again. Callers of level read see changes of what is live.
         */
        get: operations["getChanges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/components": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List components
         * @description All components with their attributes. Types name them by `<category>.<name>`.
         */
        get: operations["getComponents"];
        put?: never;
        /**
         * Create a component
         * @description Defines a part that entries of several types can have. Types use it in attributes of the kind `component`.
         */
        post: operations["postComponents"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/components/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a component
         * @description One definition by `<category>.<name>`. It can be sent back to change it.
         */
        get: operations["getComponentsByName"];
        /**
         * Replace a component
         * @description Sets the whole definition for every type that uses it. With `dry_run` nothing happens and the answer says what would; what loses stored values needs `force`.
         */
        put: operations["putComponentsByName"];
        post?: never;
        /**
         * Delete a component
         * @description Removes a component that no type uses. With `dry_run` nothing happens and the answer says what would.
         */
        delete: operations["deleteComponentsByName"];
        options?: never;
        head?: never;
        /**
         * Change a component
         * @description Changes the members that are sent for every type that uses it. With `dry_run` nothing happens and the answer says what would; what loses stored values needs `force`.
         */
        patch: operations["patchComponentsByName"];
        trace?: never;
    };
    "/api/v1/content-model": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the whole content model
         * @description All content types, components and languages in one answer, for editors that make forms from them. It needs level write; changing any of it needs admin.
         */
        get: operations["getContentModel"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/content-types": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List content types
         * @description All content types with their attributes, in the order in which they were made. What is being changed step by step says so in `changing`.
         */
        get: operations["getContentTypes"];
        put?: never;
        /**
         * Create a content type
         * @description Defines a type; every interface serves it from then on. Its names must be free, and its attributes are checked one by one.
         */
        post: operations["postContentTypes"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/content-types/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a content type
         * @description One definition by singular name, plural name or uid. It can be sent back to change it.
         */
        get: operations["getContentTypesByName"];
        /**
         * Replace a content type
         * @description Sets the whole definition; attributes that are not in it are removed. With `dry_run` nothing happens and the answer says what would; what loses stored values needs `force`.
         */
        put: operations["putContentTypesByName"];
        post?: never;
        /**
         * Delete a content type
         * @description Removes the type with all its entries, which needs `force` when there are any. With `dry_run` nothing happens and the answer says what would.
         */
        delete: operations["deleteContentTypesByName"];
        options?: never;
        head?: never;
        /**
         * Change a content type
         * @description Changes the members that are sent; an attribute that is null is removed, `renamedFrom` keeps the values of another. With `dry_run` nothing happens and the answer says what would; what loses stored values needs `force`.
         */
        patch: operations["patchContentTypesByName"];
        trace?: never;
    };
    "/api/v1/content-types/{name}/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Import entries of a content type
         * @description Takes entries as another system had them, with document id, times, live and working copy; what is required for publishing need not be there. Each record has an outcome of its own, and one that is sent again changes nothing.
         */
        post: operations["postContentTypesByNameImport"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/content-types/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create many content types and components
         * @description Defines types and components that belong together, all or none. Relations may lead from one of them to another.
         */
        post: operations["postContentTypesBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/content-types/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Import schema files
         * @description Takes over `schema.json` files of the well-known headless CMS as they are: a list of them, `{ contentTypes, components }`, or `{ files }` by path. What is here already gets their attributes besides its own, and what has no counterpart is named in `notes`.
         */
        post: operations["postContentTypesImport"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/integrations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List integrations
         * @description Pages of integrations without their secrets. Only admins see them.
         */
        get: operations["getIntegrations"];
        put?: never;
        /**
         * Create an integration
         * @description Makes the four values that requests of commerce integrations are signed with (OAuth 1.0a). They are shown once.
         */
        post: operations["postIntegrations"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/integrations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an integration
         * @description One integration without its secrets. It shows level, state and when it was made.
         */
        get: operations["getIntegrationsById"];
        put?: never;
        post?: never;
        /**
         * Delete an integration
         * @description Revokes the credentials of the integration at once. Products and orders stay.
         */
        delete: operations["deleteIntegrationsById"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/integrations/{id}/regenerate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Regenerate the credentials of an integration
         * @description Gives the integration four new values and shows them once. The old ones are refused from then on.
         */
        post: operations["postIntegrationsByIdRegenerate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List keys
         * @description Pages of keys by user, plan or status, each with the beginning of the key and never the whole. Users without level admin see their own.
         */
        get: operations["getKeys"];
        put?: never;
        /**
         * Issue a key
         * @description Makes a key for a user and a plan. The answer shows the key itself, once: only its hash is stored.
         */
        post: operations["postKeys"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a key
         * @description The record of one key without the key itself. It shows plan, level, state and when it ends.
         */
        get: operations["getKeysById"];
        put?: never;
        post?: never;
        /**
         * Delete a key
         * @description Revokes the key, which is refused from the next request on. Its record and its usage stay visible.
         */
        delete: operations["deleteKeysById"];
        options?: never;
        head?: never;
        /**
         * Change a key
         * @description Changes name, plan, level or end of a key. It holds for the next request with that key.
         */
        patch: operations["patchKeysById"];
        trace?: never;
    };
    "/api/v1/keys/{id}/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revoke a key
         * @description Refuses the key from the next request on and ends its event streams. A revoked key stays in lists and cannot be used again.
         */
        post: operations["postKeysByIdRevoke"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/keys/{id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate a key
         * @description Issues a new key in the place of this one and shows it once. The old key works for `grace_seconds`, a day when absent, so that clients can switch.
         */
        post: operations["postKeysByIdRotate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/locales": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List languages
         * @description All languages of the store with their fallbacks. One of them is the default.
         */
        get: operations["getLocales"];
        put?: never;
        /**
         * Add a language
         * @description Entries of localised types can be written in it at once. `fallback` names the language that is shown where an entry has no translation.
         */
        post: operations["postLocales"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/locales/{code}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a language
         * @description One language by its code, such as `fr` or `pt-BR`. Unknown codes are answered with 404.
         */
        get: operations["getLocalesByCode"];
        put?: never;
        post?: never;
        /**
         * Remove a language
         * @description Removes a language that no entry has; with `force` also one that entries have. The default language cannot be removed.
         */
        delete: operations["deleteLocalesByCode"];
        options?: never;
        head?: never;
        /**
         * Change a language
         * @description Changes the members that are sent and leaves the others. Entries are not changed by it.
         */
        patch: operations["patchLocalesByCode"];
        trace?: never;
    };
    "/api/v1/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Who you are
         * @description Answers with the user, key, plan and limits of the credential that was sent. It costs nothing of the month.
         */
        get: operations["getMe"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/media": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List files
         * @description Pages of files with their size, kind and URL. They are filtered by name, a part of it (`q`), kind, ending and folder.
         */
        get: operations["getMedia"];
        put?: never;
        /**
         * Upload a file
         * @description Takes a form with `file` and optionally `alternative_text`, `caption`, `folder` and `uuid`; a `uuid` that is taken is refused with 409. The kind is found in the bytes themselves, not in the name.
         */
        post: operations["postMedia"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/media/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a file
         * @description The record of one file; its bytes are at `url`. Pictures have width and height.
         */
        get: operations["getMediaById"];
        put?: never;
        post?: never;
        /**
         * Delete a file
         * @description Removes the file and its bytes. Entries that show it show nothing in its place.
         */
        delete: operations["deleteMediaById"];
        options?: never;
        head?: never;
        /**
         * Change a file
         * @description Changes name, alternative text, caption or folder. The bytes stay as they are.
         */
        patch: operations["patchMediaById"];
        trace?: never;
    };
    "/api/v1/media/{id}/file": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Replace the bytes of a file
         * @description Puts other bytes in the place of those the file has: its id stays and entries go on showing it, under a new URL. Formats of a picture are made anew.
         */
        put: operations["putMediaByIdFile"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/media/{id}/related": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Where a file is used
         * @description The entries that show the file, with the field they show it in. Drafts are listed for callers of level write.
         */
        get: operations["getMediaByIdRelated"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/media/folders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List folders
         * @description Folders of the media library by path. With `parent` only those directly inside of it.
         */
        get: operations["getMediaFolders"];
        put?: never;
        /**
         * Make a folder
         * @description Makes a folder with the path that is sent. Unlike one that is there because files lie in it, it stays when it is empty.
         */
        post: operations["postMediaFolders"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/media/folders/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a folder
         * @description One folder with its path. Files name it by that path.
         */
        get: operations["getMediaFoldersById"];
        put?: never;
        post?: never;
        /**
         * Delete a folder
         * @description Removes an empty folder. With `recursive` everything inside of it is removed, too.
         */
        delete: operations["deleteMediaFoldersById"];
        options?: never;
        head?: never;
        /**
         * Move a folder
         * @description Gives a folder another path, with everything inside of it. Folders and files keep their ids, files their URLs.
         */
        patch: operations["patchMediaFoldersById"];
        trace?: never;
    };
    "/api/v1/nodes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List nodes
         * @description The processes that make up this installation, the oldest first. One that has been silent for half a minute is left out.
         */
        get: operations["getNodes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/oauth/clients": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List OAuth clients
         * @description Pages of OAuth clients without their secrets. Only admins see them.
         */
        get: operations["getOauthClients"];
        put?: never;
        /**
         * Create an OAuth client
         * @description Makes a client for OAuth 2.0 with the scopes it may ask for. The answer shows its secret, once.
         */
        post: operations["postOauthClients"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/oauth/clients/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an OAuth client
         * @description The record of one client without its secret. It shows which scopes and plan it has.
         */
        get: operations["getOauthClientsById"];
        put?: never;
        post?: never;
        /**
         * Delete an OAuth client
         * @description Removes the client, which gets no more tokens. Its usage records stay.
         */
        delete: operations["deleteOauthClientsById"];
        options?: never;
        head?: never;
        /**
         * Change an OAuth client
         * @description Changes the members that are sent and leaves the others. A new secret is had by rotating it.
         */
        patch: operations["patchOauthClientsById"];
        trace?: never;
    };
    "/api/v1/oauth/clients/{id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate the secret of an OAuth client
         * @description Gives the client a new secret. It is shown in this answer and never again.
         */
        post: operations["postOauthClientsByIdRotateSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/overview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How the server is
         * @description Version, nodes, storage, requests of the last day, latest changes and what fails, in one answer. Requests are those of all nodes; health of upstreams is that of the node that answers.
         */
        get: operations["getOverview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/overview/backups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List backups
         * @description Backups in `backup.directory` of the node that answers, the newest first. `meta` says whether one is being made, whether the last one has failed, and how many files it lacks.
         */
        get: operations["getOverviewBackups"];
        put?: never;
        /**
         * Make a backup
         * @description Begins a backup of everything and answers at once; the list shows it when it is done. Of the oldest, more than `backup.keep` are removed as with those by schedule.
         */
        post: operations["postOverviewBackups"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/overview/backups/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download a backup
         * @description The file as `entrepot restore` takes it. It holds everything but the master key, so keep it as you keep the server.
         */
        get: operations["getOverviewBackupsByName"];
        put?: never;
        post?: never;
        /**
         * Delete a backup
         * @description Removes the file from the node that answers. It cannot be brought back, and nothing else is changed.
         */
        delete: operations["deleteOverviewBackupsByName"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/overview/log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the last lines of the log
         * @description The newest lines of the node that answers, oldest of them first. A node whose log goes to standard output answers 404 `log_not_kept`.
         */
        get: operations["getOverviewLog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/overview/log/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow the log as server-sent events
         * @description Each line that the node writes from now on is an event `line`. It ends when the client leaves or the server stops.
         */
        get: operations["getOverviewLogStream"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/plans": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List plans
         * @description Pages of plans with their limits, endpoints and prices. Every installation begins with four of them.
         */
        get: operations["getPlans"];
        put?: never;
        /**
         * Create a plan
         * @description A plan says which endpoints its keys open and how often, -1 meaning without limit. When it names a content type that everybody can read, the answer warns of it in `warnings`.
         */
        post: operations["postPlans"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/plans/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a plan
         * @description The record of one plan. Keys that belong to it are listed under `/api/v1/keys?plan_id=`.
         */
        get: operations["getPlansById"];
        /**
         * Replace a plan
         * @description Sets every member; those that are not sent get their defaults. New limits hold for the next request of every key of the plan.
         */
        put: operations["putPlansById"];
        post?: never;
        /**
         * Delete a plan
         * @description Removes a plan that no active key has. While one has it, the answer is 409 `plan_in_use`.
         */
        delete: operations["deletePlansById"];
        options?: never;
        head?: never;
        /**
         * Change a plan
         * @description Changes the members that are sent and leaves the others. New limits hold for the next request of every key of the plan.
         */
        patch: operations["patchPlansById"];
        trace?: never;
    };
    "/api/v1/proxy-pools": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List proxy pools
         * @description Pages of pools with masked passwords. Scrapers name a pool in `proxy_pool`.
         */
        get: operations["getProxyPools"];
        put?: never;
        /**
         * Create a proxy pool
         * @description A pool is a named list of proxies that scrapers send their requests through. `strategy` says in which order they take turns.
         */
        post: operations["postProxyPools"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/proxy-pools/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a proxy pool
         * @description One pool by name with its strategy and proxies. Passwords are masked.
         */
        get: operations["getProxyPoolsByName"];
        put?: never;
        post?: never;
        /**
         * Delete a proxy pool
         * @description Removes a pool that no scraper names. While one does, the answer is 409 `proxy_pool_in_use`.
         */
        delete: operations["deleteProxyPoolsByName"];
        options?: never;
        head?: never;
        /**
         * Change a proxy pool
         * @description Changes the members that are sent and leaves the others. Passwords that are sent back masked stay as they are stored.
         */
        patch: operations["patchProxyPoolsByName"];
        trace?: never;
    };
    "/api/v1/scrapers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List scrapers
         * @description Pages of scrapers with the state of their latest runs. They can be filtered by status and name.
         */
        get: operations["getScrapers"];
        put?: never;
        /**
         * Create a scraper
         * @description A scraper needs a name and a URL; everything else has a polite default. With `schedule` it runs by cron.
         */
        post: operations["postScrapers"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/scrapers/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a scraper
         * @description The whole definition of a scraper, defaults included. `next_run_at` says when its schedule starts it.
         */
        get: operations["getScrapersById"];
        put?: never;
        post?: never;
        /**
         * Delete a scraper with its runs
         * @description Removes the scraper with its runs and their items. Entries that were made from items stay.
         */
        delete: operations["deleteScrapersById"];
        options?: never;
        head?: never;
        /**
         * Change a scraper
         * @description Changes the members that are sent; null resets one to its default. A run that is under way goes on as it began, but for its rate.
         */
        patch: operations["patchScrapersById"];
        trace?: never;
    };
    "/api/v1/scrapers/{id}/results": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Collected items
         * @description Items of the latest run as JSON pages, CSV or NDJSON. `run_id` asks for another run or for all of them.
         */
        get: operations["getScrapersByIdResults"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/scrapers/{id}/run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start a run
         * @description Starts a run beside the schedule and answers at once. While one is under way the answer is 409.
         */
        post: operations["postScrapersByIdRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/scrapers/{id}/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List runs, newest first
         * @description Pages of runs with their state and counts. They are filtered by status, trigger and time.
         */
        get: operations["getScrapersByIdRuns"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/scrapers/{id}/runs/{runId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a run, or wait for its end
         * @description State, counts and times of a run. With `wait` the answer comes when the run is over or the seconds have passed.
         */
        get: operations["getScrapersByIdRunsByRunId"];
        put?: never;
        post?: never;
        /**
         * Delete a run with its results
         * @description Removes a run that is over with its items; one that is under way is refused with 409 `run_active`. Entries that were made from its items stay.
         */
        delete: operations["deleteScrapersByIdRunsByRunId"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/scrapers/{id}/runs/{runId}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Progress of a run as server-sent events
         * @description Sends what the run does while it goes on. The stream ends with the run.
         */
        get: operations["getScrapersByIdRunsByRunIdEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/scrapers/{id}/runs/{runId}/log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What a run did, line by line
         * @description Lines of the log in their order, by `after_id` and `limit`. `level` leaves out the others.
         */
        get: operations["getScrapersByIdRunsByRunIdLog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/scrapers/{id}/runs/{runId}/results": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Items of one run
         * @description The same as the results of the scraper, for one run only. `change` asks for items that are new or changed.
         */
        get: operations["getScrapersByIdRunsByRunIdResults"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/scrapers/{id}/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Status of the latest run
         * @description Tells whether a run is under way, how far it is and how the last one ended. Runs themselves are read under `/runs`.
         */
        get: operations["getScrapersByIdStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/scrapers/{id}/stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stop the live run
         * @description Ends the run that is under way. What it has collected is kept.
         */
        post: operations["postScrapersByIdStop"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/scrapers/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Fetch one page and show what would be collected
         * @description Takes a scraper that need not be stored, fetches its URL and answers with the items and links found there. Nothing is stored.
         */
        post: operations["postScrapersPreview"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find entries of all types by words
         * @description Entries that have the words in their text, those with the words in their title first. What was found is marked in `highlights`.
         */
        get: operations["getSearch"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List settings
         * @description All settings that can be changed while the server runs, by area, each with its meaning, value and origin. Secrets are masked.
         */
        get: operations["getSettings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/settings/{area}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read settings
         * @description All settings of an area, each with its value and where it comes from. Secrets are masked.
         */
        get: operations["getSettingsByArea"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change settings
         * @description Stores the members that are sent; they hold at once on all nodes, without a restart. Null drops the stored value, so that file and environment hold again.
         */
        patch: operations["patchSettingsByArea"];
        trace?: never;
    };
    "/api/v1/sign-in": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the session
         * @description Tells who is signed in and until when. Without a session it answers 401.
         */
        get: operations["getSignIn"];
        put?: never;
        /**
         * Sign in
         * @description Takes e-mail and password and sets the cookie of a session. Ten failures in a quarter of an hour are followed by 429 with `Retry-After`.
         */
        post: operations["postSignIn"];
        /**
         * Sign out
         * @description Ends the session that sent the request. Other sessions of the user go on.
         */
        delete: operations["deleteSignIn"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sign-in/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set a new password with the token of such a link
         * @description Sets the password and ends all sessions of the user. A token works once and for a limited time.
         */
        post: operations["postSignInPassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sign-in/reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask for a link by e-mail that sets a new password
         * @description Sends a message when the address belongs to a user, and answers the same when it does not. It needs the setting `smtp.url`.
         */
        post: operations["postSignInReset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/stream-tickets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a ticket for a stream
         * @description A ticket opens one event stream in place of a key, for browsers whose `EventSource` can send no headers. It works once and within a minute.
         */
        post: operations["postStreamTickets"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Dashboard figures
         * @description Requests of today and this month, what is left of the limit, and how long answers took on average. `scope` asks for a plan or the whole installation, which needs level admin.
         */
        get: operations["getUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/usage/breakdown": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Requests by key, user or plan
         * @description Who used how much in the period, most first, in whole UTC days. A key counts for the plan that it has now.
         */
        get: operations["getUsageBreakdown"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/usage/endpoints": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Requests by endpoint, most used first
         * @description Requests, errors and times for each endpoint of the period. An endpoint is a method and a path with its parameters named.
         */
        get: operations["getUsageEndpoints"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/usage/invoice": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What a month costs
         * @description The price of the month for a user, by the day where the plan was changed. It is made from usage records and can be asked for at any time.
         */
        get: operations["getUsageInvoice"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/usage/invoices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What everybody owes for a month
         * @description One line for each user and currency with the sum of `/usage/invoice`. As CSV it is a file for a spreadsheet.
         */
        get: operations["getUsageInvoices"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/usage/records": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Usage records, newest first
         * @description One record for each request that was answered, with time, endpoint, status and duration. Every answer a client received leaves one, also when the process is killed.
         */
        get: operations["getUsageRecords"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/usage/series": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Requests over time
         * @description Requests, errors and refusals in steps of minutes, hours or days. Steps without requests are in it with zeros.
         */
        get: operations["getUsageSeries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/usage/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Live figures as server-sent events
         * @description Sends the figures of the dashboard whenever they change. The last event before the server closes the stream is `end` with the reason.
         */
        get: operations["getUsageStream"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List users
         * @description Pages of users by status, e-mail or time of creation; `q` searches e-mail and name. Passwords are never shown.
         */
        get: operations["getUsers"];
        put?: never;
        /**
         * Create a user
         * @description A user owns keys and can sign in when a password is set. Only admins create users; the e-mail address must be new.
         */
        post: operations["postUsers"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a user
         * @description The record of one user. Keys of the user are listed under `/api/v1/keys?user_id=`.
         */
        get: operations["getUsersById"];
        put?: never;
        post?: never;
        /**
         * Delete a user
         * @description Revokes the keys and tokens of the user and disables the subscriptions. Usage records stay, so that figures of past months do not change.
         */
        delete: operations["deleteUsersById"];
        options?: never;
        head?: never;
        /**
         * Change a user
         * @description Changes the members that are sent and leaves the others. Disabling a user refuses all keys of that user from the next request on.
         */
        patch: operations["patchUsersById"];
        trace?: never;
    };
    "/api/v1/views": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List saved views
         * @description Your own views and those that others share, by area. A view is a list as somebody wants to see it again.
         */
        get: operations["getViews"];
        put?: never;
        /**
         * Save a view
         * @description Keeps a view under your name; with `shared` everybody who may write sees it. A user has at most 200.
         */
        post: operations["postViews"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/views/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a saved view
         * @description One view by its id. What is not shared is found by its owner alone.
         */
        get: operations["getViewsById"];
        put?: never;
        post?: never;
        /**
         * Delete a saved view
         * @description Removes the view for everybody who saw it. A shared view is deleted by its owner or an admin.
         */
        delete: operations["deleteViewsById"];
        options?: never;
        head?: never;
        /**
         * Change a saved view
         * @description Changes the members that are sent. A shared view is changed by its owner or an admin.
         */
        patch: operations["patchViewsById"];
        trace?: never;
    };
    "/api/v1/webhooks/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List registered endpoints
         * @description Pages of the endpoints that are told of runs. Their secrets are not shown.
         */
        get: operations["getWebhooks"];
        put?: never;
        /**
         * Register an endpoint for runs
         * @description Tells an endpoint of runs of scrapers. It is a subscription too, and deleting either deletes both.
         */
        post: operations["postWebhooks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a registered endpoint
         * @description One registration without its secret. The endpoint is that of a subscription.
         */
        get: operations["getWebhooksById"];
        put?: never;
        post?: never;
        /**
         * Remove a registered endpoint
         * @description Ends the registration and its subscription. What waits for it is not sent any more.
         */
        delete: operations["deleteWebhooksById"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What changed, in order
         * @description Every change of an entry after a position, deletions included, so that a mirror never reads everything again. Callers of level read see changes of what is live.
         */
        get: operations["getV2Changes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/media": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List files
         * @description Pages of files with their size, kind and URL. They are filtered by name, a part of it (`q`), kind, ending and folder.
         */
        get: operations["getV2Media"];
        put?: never;
        /**
         * Upload a file
         * @description Takes a form with `file` and optionally `alternative_text`, `caption`, `folder` and `uuid`; a `uuid` that is taken is refused with 409. The kind is found in the bytes themselves, not in the name.
         */
        post: operations["postV2Media"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/media/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a file
         * @description The record of one file; its bytes are at `url`. Pictures have width and height.
         */
        get: operations["getV2MediaById"];
        put?: never;
        post?: never;
        /**
         * Delete a file
         * @description Removes the file and its bytes. Entries that show it show nothing in its place.
         */
        delete: operations["deleteV2MediaById"];
        options?: never;
        head?: never;
        /**
         * Change a file
         * @description Changes name, alternative text, caption or folder. The bytes stay as they are.
         */
        patch: operations["patchV2MediaById"];
        trace?: never;
    };
    "/api/v2/media/{id}/file": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Replace the bytes of a file
         * @description Puts other bytes in the place of those the file has: its id stays and entries go on showing it, under a new URL. Formats of a picture are made anew.
         */
        put: operations["putV2MediaByIdFile"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/media/{id}/related": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Where a file is used
         * @description The entries that show the file, with the field they show it in. Drafts are listed for callers of level write.
         */
        get: operations["getV2MediaByIdRelated"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/media/folders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List folders
         * @description Folders of the media library by path. With `parent` only those directly inside of it.
         */
        get: operations["getV2MediaFolders"];
        put?: never;
        /**
         * Make a folder
         * @description Makes a folder with the path that is sent. Unlike one that is there because files lie in it, it stays when it is empty.
         */
        post: operations["postV2MediaFolders"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/media/folders/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a folder
         * @description One folder with its path. Files name it by that path.
         */
        get: operations["getV2MediaFoldersById"];
        put?: never;
        post?: never;
        /**
         * Delete a folder
         * @description Removes an empty folder. With `recursive` everything inside of it is removed, too.
         */
        delete: operations["deleteV2MediaFoldersById"];
        options?: never;
        head?: never;
        /**
         * Move a folder
         * @description Gives a folder another path, with everything inside of it. Folders and files keep their ids, files their URLs.
         */
        patch: operations["patchV2MediaFoldersById"];
        trace?: never;
    };
    "/oauth/introspect": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * What a token is worth; for its client or an admin
         * @description Tells whether a token is active, its scope and until when (RFC 7662). Of tokens of others only admins are told.
         */
        post: operations["postOauthIntrospect"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End a token
         * @description Ends an access token before its time (RFC 7009). Unknown tokens are answered in the same way.
         */
        post: operations["postOauthRevoke"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A token for a client
         * @description Issues an access token for the client credentials grant (RFC 6749). The client authenticates by Basic or in the form.
         */
        post: operations["postOauthToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List deliveries of all subscriptions
         * @description Pages of deliveries of all subscriptions of the caller. `event_id` shows where one event went.
         */
        get: operations["getWebhooksDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/event-types": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List event types
         * @description All active types of events, built-in ones and those of your own. Each has a description and an example.
         */
        get: operations["getWebhooksEventTypes"];
        put?: never;
        /**
         * Create an event type
         * @description Declares a type of your own that can then be published. With `schema` payloads that do not fit it are refused.
         */
        post: operations["postWebhooksEventTypes"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/event-types/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an event type
         * @description One type by name with its example and schema. Subscriptions name it in `events`.
         */
        get: operations["getWebhooksEventTypesByName"];
        put?: never;
        post?: never;
        /**
         * Delete an event type
         * @description Removes a type of your own. Built-in types are refused with 409 and can be deactivated instead.
         */
        delete: operations["deleteWebhooksEventTypesByName"];
        options?: never;
        head?: never;
        /**
         * Change an event type
         * @description Changes every member but the name. A type that is not active can be neither published nor subscribed to.
         */
        patch: operations["patchWebhooksEventTypesByName"];
        trace?: never;
    };
    "/webhooks/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List events
         * @description Pages of events that the caller may see, by type and time. They are kept for `webhooks.retention_days`.
         */
        get: operations["getWebhooksEvents"];
        put?: never;
        /**
         * Publish an event
         * @description Stores the event and delivers it to every subscription that may see it. With an `Idempotency-Key` a repetition publishes nothing twice.
         */
        post: operations["postWebhooksEvents"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/events/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an event
         * @description One event with its payload. Its deliveries are listed under `/webhooks/deliveries?event_id=`.
         */
        get: operations["getWebhooksEventsById"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/events/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Publish many events
         * @description Publishes up to 1,000 events in their order, all or none. The answer has their ids.
         */
        post: operations["postWebhooksEventsBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/notifications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List notifications
         * @description What the server has to tell the owner of subscriptions, such as an endpoint that was disabled. Each says whether an e-mail was sent, too.
         */
        get: operations["getWebhooksNotifications"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/notifications/{id}/read": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mark a notification as read
         * @description Sets `read_at` of the notification. It stays in the list.
         */
        post: operations["postWebhooksNotificationsByIdRead"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow events
         * @description Server-sent events as they happen, of the types in `events` or of all. With `Last-Event-ID` the stream goes on after that event; when it is not kept any more the stream begins with `gap`.
         */
        get: operations["getWebhooksStream"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/subscriptions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List subscriptions
         * @description Pages of the subscriptions of the caller. Admins can act for another consumer.
         */
        get: operations["getWebhooksSubscriptions"];
        put?: never;
        /**
         * Subscribe to events
         * @description Deliveries go to `endpoint_url` for every event that is named or fits a pattern. The answer shows the secret that signs them, once.
         */
        post: operations["postWebhooksSubscriptions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/subscriptions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a subscription
         * @description One subscription with its state and settings, without its secret. Values of headers that are credentials are masked.
         */
        get: operations["getWebhooksSubscriptionsById"];
        put?: never;
        post?: never;
        /**
         * Delete a subscription
         * @description Ends the subscription; open deliveries are cancelled. Every later call on its id is answered with 404.
         */
        delete: operations["deleteWebhooksSubscriptionsById"];
        options?: never;
        head?: never;
        /**
         * Change a subscription
         * @description Changes the members that are sent and leaves the others. What is sent back masked stays as it is stored.
         */
        patch: operations["patchWebhooksSubscriptionsById"];
        trace?: never;
    };
    "/webhooks/subscriptions/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List deliveries of a subscription
         * @description Pages of deliveries, newest first, by state or event. Each shows how many attempts were made.
         */
        get: operations["getWebhooksSubscriptionsByIdDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/subscriptions/{id}/deliveries/{delivery_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a delivery
         * @description One delivery with each attempt, its request and its answer. It tells why an attempt failed.
         */
        get: operations["getWebhooksSubscriptionsByIdDeliveriesByDeliveryId"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/subscriptions/{id}/deliveries/{delivery_id}/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a delivery again
         * @description Makes one attempt now, whatever became of the earlier ones, also on inactive subscriptions. Id and body stay the same, so that receivers recognise it.
         */
        post: operations["postWebhooksSubscriptionsByIdDeliveriesByDeliveryIdResend"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/subscriptions/{id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replay a window
         * @description Delivers failed, missed or all events of a window again, as `scope` says. It is accepted at once and goes on in the background.
         */
        post: operations["postWebhooksSubscriptionsByIdReplay"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/subscriptions/{id}/replays/{replay_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a replay
         * @description Tells how many deliveries a replay has found. Its `status` says whether it is over.
         */
        get: operations["getWebhooksSubscriptionsByIdReplaysByReplayId"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/subscriptions/{id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate the secret of a subscription
         * @description Makes a new secret and shows it once. The old one signs beside it for ten minutes, so that receivers can switch.
         */
        post: operations["postWebhooksSubscriptionsByIdRotateSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/subscriptions/{id}/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Figures of a subscription
         * @description Counts of deliveries by state and the times that the endpoint took. They cover the last 24 hours.
         */
        get: operations["getWebhooksSubscriptionsByIdStats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/subscriptions/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test
         * @description Queues a signed test delivery to the endpoint. It has no number in the sequence of the subscription.
         */
        post: operations["postWebhooksSubscriptionsByIdTest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/subscriptions/{id}/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Verify a signature
         * @description Tells whether headers and body that a receiver got were signed by this subscription, and by which secret. It helps to find mistakes in receivers.
         */
        post: operations["postWebhooksSubscriptionsByIdVerify"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    "bulk.completed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Nothing of a bulk of asynchronous changes is open any more
         * @description Sent to the endpoint of every subscription to bulk.completed whose consumer may see it. An answer from 200 to 299 within the time limit ends the delivery; any other is followed by further attempts.
         */
        post: operations["event.bulk.completed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "key.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A key was issued
         * @description Sent to the endpoint of every subscription to key.created whose consumer may see it. An answer from 200 to 299 within the time limit ends the delivery; any other is followed by further attempts.
         */
        post: operations["event.key.created"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "key.expired": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A key has expired
         * @description Sent to the endpoint of every subscription to key.expired whose consumer may see it. An answer from 200 to 299 within the time limit ends the delivery; any other is followed by further attempts.
         */
        post: operations["event.key.expired"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "key.revoked": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A key was revoked
         * @description Sent to the endpoint of every subscription to key.revoked whose consumer may see it. An answer from 200 to 299 within the time limit ends the delivery; any other is followed by further attempts.
         */
        post: operations["event.key.revoked"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "key.rotated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The secret of a key was replaced
         * @description Sent to the endpoint of every subscription to key.rotated whose consumer may see it. An answer from 200 to 299 within the time limit ends the delivery; any other is followed by further attempts.
         */
        post: operations["event.key.rotated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "order.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * An order was placed
         * @description Sent to the endpoint of every subscription to order.created whose consumer may see it. An answer from 200 to 299 within the time limit ends the delivery; any other is followed by further attempts.
         */
        post: operations["event.order.created"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "order.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * An order was changed
         * @description Sent to the endpoint of every subscription to order.updated whose consumer may see it. An answer from 200 to 299 within the time limit ends the delivery; any other is followed by further attempts.
         */
        post: operations["event.order.updated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    product_action_notification: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * An asynchronous change of a product was carried out, failed or was rejected
         * @description Sent to the endpoint of every subscription to product_action_notification whose consumer may see it. An answer from 200 to 299 within the time limit ends the delivery; any other is followed by further attempts.
         */
        post: operations["event.product_action_notification"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "product.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A product was created
         * @description Sent to the endpoint of every subscription to product.created whose consumer may see it. An answer from 200 to 299 within the time limit ends the delivery; any other is followed by further attempts.
         */
        post: operations["event.product.created"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "product.deleted": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A product was deleted
         * @description Sent to the endpoint of every subscription to product.deleted whose consumer may see it. An answer from 200 to 299 within the time limit ends the delivery; any other is followed by further attempts.
         */
        post: operations["event.product.deleted"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "product.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A product was changed
         * @description Sent to the endpoint of every subscription to product.updated whose consumer may see it. An answer from 200 to 299 within the time limit ends the delivery; any other is followed by further attempts.
         */
        post: operations["event.product.updated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "run.completed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A scraper run completed
         * @description Sent to the endpoint of every subscription to run.completed whose consumer may see it. An answer from 200 to 299 within the time limit ends the delivery; any other is followed by further attempts.
         */
        post: operations["event.run.completed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "run.failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A scraper run failed
         * @description Sent to the endpoint of every subscription to run.failed whose consumer may see it. An answer from 200 to 299 within the time limit ends the delivery; any other is followed by further attempts.
         */
        post: operations["event.run.failed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "run.started": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A scraper run began
         * @description Sent to the endpoint of every subscription to run.started whose consumer may see it. An answer from 200 to 299 within the time limit ends the delivery; any other is followed by further attempts.
         */
        post: operations["event.run.started"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "run.stopped": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A scraper run was stopped
         * @description Sent to the endpoint of every subscription to run.stopped whose consumer may see it. An answer from 200 to 299 within the time limit ends the delivery; any other is followed by further attempts.
         */
        post: operations["event.run.stopped"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "stock.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The stock of a product was changed
         * @description Sent to the endpoint of every subscription to stock.updated whose consumer may see it. An answer from 200 to 299 within the time limit ends the delivery; any other is followed by further attempts.
         */
        post: operations["event.stock.updated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "usage.threshold": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * 80, 90 or 100 % of the monthly quota of a key are used
         * @description Sent to the endpoint of every subscription to usage.threshold whose consumer may see it. An answer from 200 to 299 within the time limit ends the delivery; any other is followed by further attempts.
         */
        post: operations["event.usage.threshold"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "webhook.subscription.disabled": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A subscription was disabled
         * @description Sent to the endpoint of every subscription to webhook.subscription.disabled whose consumer may see it. An answer from 200 to 299 within the time limit ends the delivery; any other is followed by further attempts.
         */
        post: operations["event.webhook.subscription.disabled"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "webhook.subscription.failing": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A subscription keeps failing
         * @description Sent to the endpoint of every subscription to webhook.subscription.failing whose consumer may see it. An answer from 200 to 299 within the time limit ends the delivery; any other is followed by further attempts.
         */
        post: operations["event.webhook.subscription.failing"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        "event.bulk.completed": {
            bulk_uuid?: string;
            complete?: number;
            failed?: number;
            finished_at?: string;
            operation_count?: number;
            rejected?: number;
            started_at?: string;
        };
        "event.key.created": {
            at?: string;
            expires_at?: unknown;
            key_id?: number;
            key_prefix?: string;
            name?: string;
            plan_id?: number;
            status?: string;
        };
        "event.key.expired": {
            at?: string;
            expires_at?: unknown;
            key_id?: number;
            key_prefix?: string;
            name?: string;
            plan_id?: number;
            status?: string;
        };
        "event.key.revoked": {
            at?: string;
            expires_at?: unknown;
            key_id?: number;
            key_prefix?: string;
            name?: string;
            plan_id?: number;
            status?: string;
        };
        "event.key.rotated": {
            at?: string;
            expires_at?: unknown;
            key_id?: number;
            key_prefix?: string;
            name?: string;
            plan_id?: number;
            status?: string;
        };
        "event.order.created": {
            created_at?: string;
            id?: number;
            status?: string;
            total?: number;
        };
        "event.order.updated": {
            created_at?: string;
            id?: number;
            status?: string;
            total?: number;
        };
        "event.product_action_notification": {
            action?: string;
            bulk_uuid?: string;
            data_hash?: string;
            error_code?: unknown;
            message?: string;
            operation_id?: number;
            product_id?: number;
            result?: string;
            sku?: string;
            status?: number;
        };
        "event.product.created": {
            id?: number;
            live?: boolean;
            name?: string;
            price?: number;
            sku?: string;
            status?: string;
            updated_at?: string;
        };
        "event.product.deleted": {
            id?: number;
            live?: boolean;
            name?: string;
            price?: number;
            sku?: string;
            status?: string;
            updated_at?: string;
        };
        "event.product.updated": {
            id?: number;
            live?: boolean;
            name?: string;
            price?: number;
            sku?: string;
            status?: string;
            updated_at?: string;
        };
        "event.run.completed": {
            changes?: {
                changed?: number;
                missing?: number;
                new?: number;
                unchanged?: number;
            };
            duration_ms?: number;
            error?: unknown;
            finish_reason?: string;
            finished_at?: string;
            items_collected?: number;
            pages_failed?: number;
            pages_fetched?: number;
            run_id?: number;
            scraper_id?: number;
            scraper_name?: string;
            started_at?: string;
            status?: string;
            trigger?: string;
        };
        "event.run.failed": {
            changes?: {
                changed?: number;
                missing?: number;
                new?: number;
                unchanged?: number;
            };
            duration_ms?: number;
            error?: {
                code?: string;
                message?: string;
            };
            finish_reason?: string;
            finished_at?: string;
            items_collected?: number;
            pages_failed?: number;
            pages_fetched?: number;
            run_id?: number;
            scraper_id?: number;
            scraper_name?: string;
            started_at?: string;
            status?: string;
            trigger?: string;
        };
        "event.run.started": {
            changes?: {
                changed?: number;
                missing?: number;
                new?: number;
                unchanged?: number;
            };
            duration_ms?: unknown;
            error?: unknown;
            finish_reason?: string;
            finished_at?: unknown;
            items_collected?: number;
            pages_failed?: number;
            pages_fetched?: number;
            run_id?: number;
            scraper_id?: number;
            scraper_name?: string;
            started_at?: string;
            status?: string;
            trigger?: string;
        };
        "event.run.stopped": {
            changes?: {
                changed?: number;
                missing?: number;
                new?: number;
                unchanged?: number;
            };
            duration_ms?: number;
            error?: unknown;
            finish_reason?: string;
            finished_at?: string;
            items_collected?: number;
            pages_failed?: number;
            pages_fetched?: number;
            run_id?: number;
            scraper_id?: number;
            scraper_name?: string;
            started_at?: string;
            status?: string;
            trigger?: string;
        };
        "event.stock.updated": {
            available?: boolean;
            live?: boolean;
            previous_stock?: number;
            sku?: string;
            stock?: number;
        };
        "event.usage.threshold": {
            at?: string;
            key_id?: number;
            limit?: number;
            percent?: number;
            used?: number;
            window?: string;
        };
        "event.webhook.subscription.disabled": {
            disabled_at?: string;
            endpoint_url?: string;
            failure_count?: number;
            last_error?: {
                code?: string;
                message?: string;
            };
            reason?: string;
            subscription_id?: string;
        };
        "event.webhook.subscription.failing": {
            disabled_at?: unknown;
            endpoint_url?: string;
            failure_count?: number;
            last_error?: {
                code?: string;
                message?: string;
            };
            reason?: unknown;
            subscription_id?: string;
        };
        "http.error": {
            /** @description A text where the credential itself is refused, else an object */
            error: string | {
                /** @description Stable; to be compared */
                code: string;
                details?: {
                    code?: string;
                    field?: string;
                    message?: string;
                }[];
                /** @description For people */
                message: string;
            };
        };
        "shared.bulk": {
            atomic?: boolean;
            operations: {
                data?: Record<string, never>;
                id?: number | string;
                key?: string;
                /** @enum {string} */
                op: "create" | "upsert" | "update" | "delete";
            }[];
        };
        "shared.bulk.answer": {
            data?: Record<string, never>[];
            meta?: components["schemas"]["shared.meta"];
        };
        "shared.meta": Record<string, never>;
        "shared.revision": {
            events: {
                /** Format: date-time */
                at: string;
                by: number | null;
                /** @enum {string} */
                event: "create" | "update" | "restore" | "discard" | "publish" | "unpublish" | "scheduled_publish" | "scheduled_unpublish";
            }[];
            id: number;
            is_current: boolean;
            is_live: boolean;
            /** Format: date-time */
            saved_at: string;
            saved_by: number | null;
        };
        "shared.warnings": {
            warnings: {
                field?: string;
                message?: string;
            }[];
        };
    };
    responses: {
        /** @description The request is not valid; `details` names every fault */
        "refused.400": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["http.error"];
            };
        };
        /** @description No key, or one that is not known */
        "refused.401": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["http.error"];
            };
        };
        /** @description The key may not do this: level, plan, or its end */
        "refused.403": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["http.error"];
            };
        };
        /** @description There is nothing at this address */
        "refused.404": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["http.error"];
            };
        };
        /** @description It clashes with what is stored, or with the same request under way */
        "refused.409": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["http.error"];
            };
        };
        /** @description The body is too large */
        "refused.413": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["http.error"];
            };
        };
        /** @description The body is of a content type that is not taken */
        "refused.415": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["http.error"];
            };
        };
        /** @description Well formed, but what is stored does not permit it */
        "refused.422": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["http.error"];
            };
        };
        /** @description A limit is reached; `Retry-After` says when to come back */
        "refused.429": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["http.error"];
            };
        };
        /** @description Too busy, or a part is away; `Retry-After` says when to come back */
        "refused.503": {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["http.error"];
            };
        };
    };
    parameters: {
        /** @description Records after this id */
        "content.after_id": number;
        /** @description Records before this id */
        "content.before_id": number;
        /** @description false leaves out the total */
        "content.count": boolean;
        /** @description Empty for the first page */
        "content.cursor": string;
        /** @description A language or auto */
        "content.fallback_locale": string;
        /** @description Members to show, comma-separated */
        "content.fields": string;
        /** @description id or document id */
        "content.id": string;
        "content.idempotency_key": string;
        "content.if_match": string;
        /** @description Relations and media to show, comma-separated */
        "content.include": string;
        /** @description Size of a page by id, at most 100 */
        "content.limit": number;
        /** @description A language or all */
        "content.locale": string;
        "content.order": "asc" | "desc";
        /** @description From 1 */
        "content.page": number;
        /** @description At most 100 */
        "content.per_page": number;
        /** @description Text to search for */
        "content.q": string;
        /** @description id, created_at, updated_at, published_at, an attribute or author.name */
        "content.sort": string;
        "content.status": "published" | "draft" | "changed" | "all";
    };
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getWellKnownOauthAuthorizationServer: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        grant_types_supported: string[];
                        introspection_endpoint: string;
                        issuer: string;
                        response_types_supported: string[];
                        revocation_endpoint: string;
                        scopes_supported: string[];
                        token_endpoint: string;
                        token_endpoint_auth_methods_supported: string[];
                    };
                };
            };
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    getChanges: {
        parameters: {
            query?: {
                /** @description A position, or now */
                after?: string;
                limit?: number;
                /** @description Comma-separated */
                types?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: Record<string, never>[];
                        meta: components["schemas"]["shared.meta"];
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    getComponents: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            attributes: {
                                [key: string]: unknown;
                            };
                            category: string;
                            description: string;
                            displayName: string;
                            name: string;
                            uid: string;
                        }[];
                        meta: {
                            total: number;
                        };
                    };
                };
            };
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    postComponents: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Attributes by name, in the order in which entries show them */
                    attributes?: {
                        [key: string]: unknown;
                    };
                    category?: string;
                    changing?: string[];
                    createdAt?: string;
                    description?: string;
                    displayName?: string;
                    name: string;
                    uid?: string;
                    updatedAt?: string;
                    uuid?: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            attributes: {
                                [key: string]: unknown;
                            };
                            category: string;
                            description: string;
                            displayName: string;
                            name: string;
                            uid: string;
                        };
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            409: components["responses"]["refused.409"];
            413: components["responses"]["refused.413"];
            415: components["responses"]["refused.415"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    getComponentsByName: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            attributes: {
                                [key: string]: unknown;
                            };
                            category: string;
                            description: string;
                            displayName: string;
                            name: string;
                            uid: string;
                        };
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    putComponentsByName: {
        parameters: {
            query?: {
                /** @description Change nothing; answer what would happen */
                dry_run?: boolean;
                /** @description Do it although stored values are lost */
                force?: boolean;
            };
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Attributes by name, in the order in which entries show them */
                    attributes?: {
                        [key: string]: unknown;
                    };
                    category?: string;
                    changing?: string[];
                    createdAt?: string;
                    description?: string;
                    displayName?: string;
                    name: string;
                    uid?: string;
                    updatedAt?: string;
                    uuid?: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            attributes: {
                                [key: string]: unknown;
                            };
                            category: string;
                            description: string;
                            displayName: string;
                            name: string;
                            uid: string;
                        } | {
                            changes: {
                                /** @enum {unknown} */
                                action: "add" | "change" | "remove";
                                attribute: string | null;
                                component?: string;
                                contentType?: string;
                                entriesAffected: number;
                                /** @description Where drafts go: entries never published, and newer working copies */
                                entriesByStatus?: {
                                    changed: number;
                                    draft: number;
                                };
                                lossy: boolean;
                                member?: string;
                            }[];
                        };
                    };
                };
            };
            /** @description Default Response */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            attributes: {
                                [key: string]: unknown;
                            };
                            category: string;
                            description: string;
                            displayName: string;
                            name: string;
                            uid: string;
                        };
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            409: components["responses"]["refused.409"];
            413: components["responses"]["refused.413"];
            415: components["responses"]["refused.415"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    deleteComponentsByName: {
        parameters: {
            query?: {
                /** @description Change nothing; answer what would happen */
                dry_run?: boolean;
                /** @description Do it although stored values are lost */
                force?: boolean;
            };
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            changes: {
                                /** @enum {unknown} */
                                action: "add" | "change" | "remove";
                                attribute: string | null;
                                component?: string;
                                contentType?: string;
                                entriesAffected: number;
                                /** @description Where drafts go: entries never published, and newer working copies */
                                entriesByStatus?: {
                                    changed: number;
                                    draft: number;
                                };
                                lossy: boolean;
                                member?: string;
                            }[];
                        };
                    };
                };
            };
            /** @description Default Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            409: components["responses"]["refused.409"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    patchComponentsByName: {
        parameters: {
            query?: {
                /** @description Change nothing; answer what would happen */
                dry_run?: boolean;
                /** @description Do it although stored values are lost */
                force?: boolean;
            };
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Attributes by name, in the order in which entries show them */
                    attributes?: {
                        [key: string]: unknown;
                    };
                    category?: string;
                    changing?: string[];
                    createdAt?: string;
                    description?: string;
                    displayName?: string;
                    name?: string;
                    uid?: string;
                    updatedAt?: string;
                    uuid?: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            attributes: {
                                [key: string]: unknown;
                            };
                            category: string;
                            description: string;
                            displayName: string;
                            name: string;
                            uid: string;
                        } | {
                            changes: {
                                /** @enum {unknown} */
                                action: "add" | "change" | "remove";
                                attribute: string | null;
                                component?: string;
                                contentType?: string;
                                entriesAffected: number;
                                /** @description Where drafts go: entries never published, and newer working copies */
                                entriesByStatus?: {
                                    changed: number;
                                    draft: number;
                                };
                                lossy: boolean;
                                member?: string;
                            }[];
                        };
                    };
                };
            };
            /** @description Default Response */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            attributes: {
                                [key: string]: unknown;
                            };
                            category: string;
                            description: string;
                            displayName: string;
                            name: string;
                            uid: string;
                        };
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            409: components["responses"]["refused.409"];
            413: components["responses"]["refused.413"];
            415: components["responses"]["refused.415"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    getContentModel: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            components: {
                                attributes: {
                                    [key: string]: unknown;
                                };
                                category: string;
                                description: string;
                                displayName: string;
                                name: string;
                                uid: string;
                            }[];
                            contentTypes: {
                                attributes: {
                                    [key: string]: unknown;
                                };
                                bundle: string;
                                /** @description What of the type is being changed, entry by entry. Until that is done the definition above holds */
                                changing?: string[];
                                /** Format: date-time */
                                createdAt: string;
                                description: string;
                                displayField: string | null;
                                displayName: string;
                                draftAndPublish: boolean;
                                entityType: string;
                                kind: string;
                                localized: boolean;
                                permissions: {
                                    public: string[];
                                    read: string[];
                                    write: string[];
                                };
                                pluralName: string;
                                publicRead: boolean;
                                singularName: string;
                                uid: string;
                                /** Format: date-time */
                                updatedAt: string;
                                /** Format: uuid */
                                uuid: string;
                            }[];
                            locales: {
                                code: string;
                                fallback: string | null;
                                isDefault: boolean;
                                name: string;
                            }[];
                        };
                    };
                };
            };
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    getContentTypes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            attributes: {
                                [key: string]: unknown;
                            };
                            bundle: string;
                            /** @description What of the type is being changed, entry by entry. Until that is done the definition above holds */
                            changing?: string[];
                            /** Format: date-time */
                            createdAt: string;
                            description: string;
                            displayField: string | null;
                            displayName: string;
                            draftAndPublish: boolean;
                            entityType: string;
                            kind: string;
                            localized: boolean;
                            permissions: {
                                public: string[];
                                read: string[];
                                write: string[];
                            };
                            pluralName: string;
                            publicRead: boolean;
                            singularName: string;
                            uid: string;
                            /** Format: date-time */
                            updatedAt: string;
                            /** Format: uuid */
                            uuid: string;
                        }[];
                        meta: {
                            total: number;
                        };
                    };
                };
            };
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    postContentTypes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Attributes by name, in the order in which entries show them */
                    attributes?: {
                        [key: string]: unknown;
                    };
                    bundle?: string;
                    changing?: string[];
                    createdAt?: string;
                    description?: string;
                    displayField?: string | null;
                    displayName?: string;
                    draftAndPublish?: boolean;
                    entityType?: string;
                    /** @enum {unknown} */
                    kind?: "collectionType" | "singleType";
                    localized?: boolean;
                    /** @description What callers without a key and keys of each level may do with entries, besides what lower levels may; administrators may do everything */
                    permissions?: {
                        public?: ("read" | "create" | "update" | "delete" | "publish")[];
                        read?: ("read" | "create" | "update" | "delete" | "publish")[];
                        write?: ("read" | "create" | "update" | "delete" | "publish")[];
                    };
                    pluginOptions?: {
                        i18n?: {
                            localized?: boolean;
                        };
                    };
                    pluralName: string;
                    publicRead?: boolean;
                    singularName: string;
                    uid?: string;
                    updatedAt?: string;
                    uuid?: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            attributes: {
                                [key: string]: unknown;
                            };
                            bundle: string;
                            /** @description What of the type is being changed, entry by entry. Until that is done the definition above holds */
                            changing?: string[];
                            /** Format: date-time */
                            createdAt: string;
                            description: string;
                            displayField: string | null;
                            displayName: string;
                            draftAndPublish: boolean;
                            entityType: string;
                            kind: string;
                            localized: boolean;
                            permissions: {
                                public: string[];
                                read: string[];
                                write: string[];
                            };
                            pluralName: string;
                            publicRead: boolean;
                            singularName: string;
                            uid: string;
                            /** Format: date-time */
                            updatedAt: string;
                            /** Format: uuid */
                            uuid: string;
                        };
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            409: components["responses"]["refused.409"];
            413: components["responses"]["refused.413"];
            415: components["responses"]["refused.415"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    getContentTypesByName: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            attributes: {
                                [key: string]: unknown;
                            };
                            bundle: string;
                            /** @description What of the type is being changed, entry by entry. Until that is done the definition above holds */
                            changing?: string[];
                            /** Format: date-time */
                            createdAt: string;
                            description: string;
                            displayField: string | null;
                            displayName: string;
                            draftAndPublish: boolean;
                            entityType: string;
                            kind: string;
                            localized: boolean;
                            permissions: {
                                public: string[];
                                read: string[];
                                write: string[];
                            };
                            pluralName: string;
                            publicRead: boolean;
                            singularName: string;
                            uid: string;
                            /** Format: date-time */
                            updatedAt: string;
                            /** Format: uuid */
                            uuid: string;
                        };
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    putContentTypesByName: {
        parameters: {
            query?: {
                /** @description Change nothing; answer what would happen */
                dry_run?: boolean;
                /** @description Do it although stored values are lost */
                force?: boolean;
            };
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Attributes by name, in the order in which entries show them */
                    attributes?: {
                        [key: string]: unknown;
                    };
                    bundle?: string;
                    changing?: string[];
                    createdAt?: string;
                    description?: string;
                    displayField?: string | null;
                    displayName?: string;
                    draftAndPublish?: boolean;
                    entityType?: string;
                    /** @enum {unknown} */
                    kind?: "collectionType" | "singleType";
                    localized?: boolean;
                    /** @description What callers without a key and keys of each level may do with entries, besides what lower levels may; administrators may do everything */
                    permissions?: {
                        public?: ("read" | "create" | "update" | "delete" | "publish")[];
                        read?: ("read" | "create" | "update" | "delete" | "publish")[];
                        write?: ("read" | "create" | "update" | "delete" | "publish")[];
                    };
                    pluginOptions?: {
                        i18n?: {
                            localized?: boolean;
                        };
                    };
                    pluralName: string;
                    publicRead?: boolean;
                    singularName: string;
                    uid?: string;
                    updatedAt?: string;
                    uuid?: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            attributes: {
                                [key: string]: unknown;
                            };
                            bundle: string;
                            /** @description What of the type is being changed, entry by entry. Until that is done the definition above holds */
                            changing?: string[];
                            /** Format: date-time */
                            createdAt: string;
                            description: string;
                            displayField: string | null;
                            displayName: string;
                            draftAndPublish: boolean;
                            entityType: string;
                            kind: string;
                            localized: boolean;
                            permissions: {
                                public: string[];
                                read: string[];
                                write: string[];
                            };
                            pluralName: string;
                            publicRead: boolean;
                            singularName: string;
                            uid: string;
                            /** Format: date-time */
                            updatedAt: string;
                            /** Format: uuid */
                            uuid: string;
                        } | {
                            changes: {
                                /** @enum {unknown} */
                                action: "add" | "change" | "remove";
                                attribute: string | null;
                                component?: string;
                                contentType?: string;
                                entriesAffected: number;
                                /** @description Where drafts go: entries never published, and newer working copies */
                                entriesByStatus?: {
                                    changed: number;
                                    draft: number;
                                };
                                lossy: boolean;
                                member?: string;
                            }[];
                        };
                    };
                };
            };
            /** @description Default Response */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            attributes: {
                                [key: string]: unknown;
                            };
                            bundle: string;
                            /** @description What of the type is being changed, entry by entry. Until that is done the definition above holds */
                            changing?: string[];
                            /** Format: date-time */
                            createdAt: string;
                            description: string;
                            displayField: string | null;
                            displayName: string;
                            draftAndPublish: boolean;
                            entityType: string;
                            kind: string;
                            localized: boolean;
                            permissions: {
                                public: string[];
                                read: string[];
                                write: string[];
                            };
                            pluralName: string;
                            publicRead: boolean;
                            singularName: string;
                            uid: string;
                            /** Format: date-time */
                            updatedAt: string;
                            /** Format: uuid */
                            uuid: string;
                        };
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            409: components["responses"]["refused.409"];
            413: components["responses"]["refused.413"];
            415: components["responses"]["refused.415"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    deleteContentTypesByName: {
        parameters: {
            query?: {
                /** @description Change nothing; answer what would happen */
                dry_run?: boolean;
                /** @description Do it although stored values are lost */
                force?: boolean;
            };
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            changes: {
                                /** @enum {unknown} */
                                action: "add" | "change" | "remove";
                                attribute: string | null;
                                component?: string;
                                contentType?: string;
                                entriesAffected: number;
                                /** @description Where drafts go: entries never published, and newer working copies */
                                entriesByStatus?: {
                                    changed: number;
                                    draft: number;
                                };
                                lossy: boolean;
                                member?: string;
                            }[];
                        };
                    };
                };
            };
            /** @description Default Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            409: components["responses"]["refused.409"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    patchContentTypesByName: {
        parameters: {
            query?: {
                /** @description Change nothing; answer what would happen */
                dry_run?: boolean;
                /** @description Do it although stored values are lost */
                force?: boolean;
            };
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Attributes by name, in the order in which entries show them */
                    attributes?: {
                        [key: string]: unknown;
                    };
                    bundle?: string;
                    changing?: string[];
                    createdAt?: string;
                    description?: string;
                    displayField?: string | null;
                    displayName?: string;
                    draftAndPublish?: boolean;
                    entityType?: string;
                    /** @enum {unknown} */
                    kind?: "collectionType" | "singleType";
                    localized?: boolean;
                    /** @description What callers without a key and keys of each level may do with entries, besides what lower levels may; administrators may do everything */
                    permissions?: {
                        public?: ("read" | "create" | "update" | "delete" | "publish")[];
                        read?: ("read" | "create" | "update" | "delete" | "publish")[];
                        write?: ("read" | "create" | "update" | "delete" | "publish")[];
                    };
                    pluginOptions?: {
                        i18n?: {
                            localized?: boolean;
                        };
                    };
                    pluralName?: string;
                    publicRead?: boolean;
                    singularName?: string;
                    uid?: string;
                    updatedAt?: string;
                    uuid?: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            attributes: {
                                [key: string]: unknown;
                            };
                            bundle: string;
                            /** @description What of the type is being changed, entry by entry. Until that is done the definition above holds */
                            changing?: string[];
                            /** Format: date-time */
                            createdAt: string;
                            description: string;
                            displayField: string | null;
                            displayName: string;
                            draftAndPublish: boolean;
                            entityType: string;
                            kind: string;
                            localized: boolean;
                            permissions: {
                                public: string[];
                                read: string[];
                                write: string[];
                            };
                            pluralName: string;
                            publicRead: boolean;
                            singularName: string;
                            uid: string;
                            /** Format: date-time */
                            updatedAt: string;
                            /** Format: uuid */
                            uuid: string;
                        } | {
                            changes: {
                                /** @enum {unknown} */
                                action: "add" | "change" | "remove";
                                attribute: string | null;
                                component?: string;
                                contentType?: string;
                                entriesAffected: number;
                                /** @description Where drafts go: entries never published, and newer working copies */
                                entriesByStatus?: {
                                    changed: number;
                                    draft: number;
                                };
                                lossy: boolean;
                                member?: string;
                            }[];
                        };
                    };
                };
            };
            /** @description Default Response */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            attributes: {
                                [key: string]: unknown;
                            };
                            bundle: string;
                            /** @description What of the type is being changed, entry by entry. Until that is done the definition above holds */
                            changing?: string[];
                            /** Format: date-time */
                            createdAt: string;
                            description: string;
                            displayField: string | null;
                            displayName: string;
                            draftAndPublish: boolean;
                            entityType: string;
                            kind: string;
                            localized: boolean;
                            permissions: {
                                public: string[];
                                read: string[];
                                write: string[];
                            };
                            pluralName: string;
                            publicRead: boolean;
                            singularName: string;
                            uid: string;
                            /** Format: date-time */
                            updatedAt: string;
                            /** Format: uuid */
                            uuid: string;
                        };
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            409: components["responses"]["refused.409"];
            413: components["responses"]["refused.413"];
            415: components["responses"]["refused.415"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    postContentTypesByNameImport: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    records: {
                        /** Format: date-time */
                        created_at?: string;
                        /** Format: uuid */
                        document_id: string;
                        external_id?: string;
                        live?: {
                            /** Format: date-time */
                            published_at?: string;
                            /** Format: date-time */
                            updated_at?: string;
                            values: {
                                [key: string]: unknown;
                            };
                        } | null;
                        locale?: string;
                        working?: {
                            /** Format: date-time */
                            updated_at?: string;
                            values: {
                                [key: string]: unknown;
                            };
                        };
                    }[];
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            error?: unknown;
                            id?: number;
                            index: number;
                            status: number;
                            unchanged?: boolean;
                        }[];
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            409: components["responses"]["refused.409"];
            413: components["responses"]["refused.413"];
            415: components["responses"]["refused.415"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    postContentTypesBatch: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    components?: {
                        /** @description Attributes by name, in the order in which entries show them */
                        attributes?: {
                            [key: string]: unknown;
                        };
                        category?: string;
                        changing?: string[];
                        createdAt?: string;
                        description?: string;
                        displayName?: string;
                        name: string;
                        uid?: string;
                        updatedAt?: string;
                        uuid?: string;
                    }[];
                    contentTypes?: {
                        /** @description Attributes by name, in the order in which entries show them */
                        attributes?: {
                            [key: string]: unknown;
                        };
                        bundle?: string;
                        changing?: string[];
                        createdAt?: string;
                        description?: string;
                        displayField?: string | null;
                        displayName?: string;
                        draftAndPublish?: boolean;
                        entityType?: string;
                        /** @enum {unknown} */
                        kind?: "collectionType" | "singleType";
                        localized?: boolean;
                        /** @description What callers without a key and keys of each level may do with entries, besides what lower levels may; administrators may do everything */
                        permissions?: {
                            public?: ("read" | "create" | "update" | "delete" | "publish")[];
                            read?: ("read" | "create" | "update" | "delete" | "publish")[];
                            write?: ("read" | "create" | "update" | "delete" | "publish")[];
                        };
                        pluginOptions?: {
                            i18n?: {
                                localized?: boolean;
                            };
                        };
                        pluralName: string;
                        publicRead?: boolean;
                        singularName: string;
                        uid?: string;
                        updatedAt?: string;
                        uuid?: string;
                    }[];
                };
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            components: {
                                attributes: {
                                    [key: string]: unknown;
                                };
                                category: string;
                                description: string;
                                displayName: string;
                                name: string;
                                uid: string;
                            }[];
                            contentTypes: {
                                attributes: {
                                    [key: string]: unknown;
                                };
                                bundle: string;
                                /** @description What of the type is being changed, entry by entry. Until that is done the definition above holds */
                                changing?: string[];
                                /** Format: date-time */
                                createdAt: string;
                                description: string;
                                displayField: string | null;
                                displayName: string;
                                draftAndPublish: boolean;
                                entityType: string;
                                kind: string;
                                localized: boolean;
                                permissions: {
                                    public: string[];
                                    read: string[];
                                    write: string[];
                                };
                                pluralName: string;
                                publicRead: boolean;
                                singularName: string;
                                uid: string;
                                /** Format: date-time */
                                updatedAt: string;
                                /** Format: uuid */
                                uuid: string;
                            }[];
                        };
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            409: components["responses"]["refused.409"];
            413: components["responses"]["refused.413"];
            415: components["responses"]["refused.415"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    postContentTypesImport: {
        parameters: {
            query?: {
                /** @description Change nothing; answer what would happen */
                dry_run?: boolean;
                /** @description Do it although stored values are lost */
                force?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description A list of schema files as they are, { contentTypes, components }, or { files } by path */
        requestBody: {
            content: {
                "application/json": unknown;
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            changes: {
                                /** @enum {unknown} */
                                action: "add" | "change" | "remove";
                                attribute: string | null;
                                component?: string;
                                contentType?: string;
                                entriesAffected: number;
                                /** @description Where drafts go: entries never published, and newer working copies */
                                entriesByStatus?: {
                                    changed: number;
                                    draft: number;
                                };
                                lossy: boolean;
                                member?: string;
                            }[];
                            components: {
                                /** @enum {unknown} */
                                action: "create" | "change";
                                name: string;
                            }[];
                            contentTypes: {
                                /** @enum {unknown} */
                                action: "create" | "change";
                                name: string;
                            }[];
                            /** @description What has no counterpart here, or another name */
                            notes: {
                                attribute?: string;
                                component?: string;
                                contentType?: string;
                                message: string;
                            }[];
                        };
                    };
                };
            };
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            changes: {
                                /** @enum {unknown} */
                                action: "add" | "change" | "remove";
                                attribute: string | null;
                                component?: string;
                                contentType?: string;
                                entriesAffected: number;
                                /** @description Where drafts go: entries never published, and newer working copies */
                                entriesByStatus?: {
                                    changed: number;
                                    draft: number;
                                };
                                lossy: boolean;
                                member?: string;
                            }[];
                            components: {
                                /** @enum {unknown} */
                                action: "create" | "change";
                                name: string;
                            }[];
                            contentTypes: {
                                /** @enum {unknown} */
                                action: "create" | "change";
                                name: string;
                            }[];
                            /** @description What has no counterpart here, or another name */
                            notes: {
                                attribute?: string;
                                component?: string;
                                contentType?: string;
                                message: string;
                            }[];
                        };
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            409: components["responses"]["refused.409"];
            413: components["responses"]["refused.413"];
            415: components["responses"]["refused.415"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    getIntegrations: {
        parameters: {
            query?: {
                after_id?: unknown;
                before_id?: unknown;
                count?: unknown;
                limit?: unknown;
                order?: unknown;
                page?: unknown;
                per_page?: unknown;
                sort?: unknown;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            access_level: "read" | "write" | "admin";
                            api_key_id: number;
                            consumer_key: string;
                            /** Format: date-time */
                            created_at: string;
                            id: number;
                            name: string;
                            /** @constant */
                            status: "active";
                            user_id: number;
                        }[];
                        meta: {
                            [key: string]: unknown;
                        };
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    postIntegrations: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    access_level?: "read" | "write" | "admin";
                    name: string;
                    plan_id?: number;
                };
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            access_level: "read" | "write" | "admin";
                            access_token: string;
                            access_token_secret: string;
                            api_key_id: number;
                            consumer_key: string;
                            consumer_secret: string;
                            /** Format: date-time */
                            created_at: string;
                            id: number;
                            name: string;
                            /** @constant */
                            status: "active";
                            user_id: number;
                        };
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            409: components["responses"]["refused.409"];
            413: components["responses"]["refused.413"];
            415: components["responses"]["refused.415"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    getIntegrationsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            access_level: "read" | "write" | "admin";
                            api_key_id: number;
                            consumer_key: string;
                            /** Format: date-time */
                            created_at: string;
                            id: number;
                            name: string;
                            /** @constant */
                            status: "active";
                            user_id: number;
                        };
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    deleteIntegrationsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            409: components["responses"]["refused.409"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    postIntegrationsByIdRegenerate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            access_level: "read" | "write" | "admin";
                            access_token: string;
                            access_token_secret: string;
                            api_key_id: number;
                            consumer_key: string;
                            consumer_secret: string;
                            /** Format: date-time */
                            created_at: string;
                            id: number;
                            name: string;
                            /** @constant */
                            status: "active";
                            user_id: number;
                        };
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            409: components["responses"]["refused.409"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    getKeys: {
        parameters: {
            query?: {
                after_id?: unknown;
                before_id?: unknown;
                count?: unknown;
                limit?: unknown;
                order?: unknown;
                page?: unknown;
                per_page?: unknown;
                plan_id?: unknown;
                prefix?: unknown;
                sort?: unknown;
                status?: unknown;
                user_id?: unknown;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            /** @enum {unknown} */
                            access: "read" | "write" | "admin";
                            /** Format: date-time */
                            created_at: string;
                            expires_at: string | null;
                            id: number;
                            key_prefix: string | null;
                            /** @enum {unknown} */
                            kind?: "oauth" | "integration";
                            last_used_at: string | null;
                            name: string | null;
                            plan_id: number;
                            previous_key_prefix: string | null;
                            previous_valid_until: string | null;
                            rotated_at: string | null;
                            /** @enum {unknown} */
                            status: "active" | "revoked" | "expired";
                            user_id: number;
                        }[];
                        meta: {
                            [key: string]: unknown;
                        };
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    postKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {unknown} */
                    access?: "read" | "write" | "admin";
                    expires_at?: string | null;
                    name?: string | null;
                    plan_id: number;
                    user_id?: number;
                };
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            /** @enum {unknown} */
                            access: "read" | "write" | "admin";
                            /** Format: date-time */
                            created_at: string;
                            expires_at: string | null;
                            id: number;
                            key: string;
                            key_prefix: string | null;
                            name: string | null;
                            plan_id: number;
                            prefix: string;
                            /** @enum {unknown} */
                            status: "active" | "revoked" | "expired";
                            user_id: number;
                        };
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            409: components["responses"]["refused.409"];
            413: components["responses"]["refused.413"];
            415: components["responses"]["refused.415"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    getKeysById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            /** @enum {unknown} */
                            access: "read" | "write" | "admin";
                            /** Format: date-time */
                            created_at: string;
                            expires_at: string | null;
                            id: number;
                            key_prefix: string | null;
                            /** @enum {unknown} */
                            kind?: "oauth" | "integration";
                            last_used_at: string | null;
                            name: string | null;
                            plan_id: number;
                            previous_key_prefix: string | null;
                            previous_valid_until: string | null;
                            rotated_at: string | null;
                            /** @enum {unknown} */
                            status: "active" | "revoked" | "expired";
                            user_id: number;
                        };
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    deleteKeysById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            409: components["responses"]["refused.409"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    patchKeysById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {unknown} */
                    access?: "read" | "write" | "admin";
                    expires_at?: string | null;
                    name?: string | null;
                    plan_id?: number;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            /** @enum {unknown} */
                            access: "read" | "write" | "admin";
                            /** Format: date-time */
                            created_at: string;
                            expires_at: string | null;
                            id: number;
                            key_prefix: string | null;
                            /** @enum {unknown} */
                            kind?: "oauth" | "integration";
                            last_used_at: string | null;
                            name: string | null;
                            plan_id: number;
                            previous_key_prefix: string | null;
                            previous_valid_until: string | null;
                            rotated_at: string | null;
                            /** @enum {unknown} */
                            status: "active" | "revoked" | "expired";
                            user_id: number;
                        };
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            409: components["responses"]["refused.409"];
            413: components["responses"]["refused.413"];
            415: components["responses"]["refused.415"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    postKeysByIdRevoke: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    reason?: string | null;
                } | null;
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            /** @enum {unknown} */
                            access: "read" | "write" | "admin";
                            /** Format: date-time */
                            created_at: string;
                            expires_at: string | null;
                            id: number;
                            key_prefix: string | null;
                            /** @enum {unknown} */
                            kind?: "oauth" | "integration";
                            last_used_at: string | null;
                            name: string | null;
                            plan_id: number;
                            previous_key_prefix: string | null;
                            previous_valid_until: string | null;
                            rotated_at: string | null;
                            /** @enum {unknown} */
                            status: "active" | "revoked" | "expired";
                            user_id: number;
                        };
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            409: components["responses"]["refused.409"];
            413: components["responses"]["refused.413"];
            415: components["responses"]["refused.415"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    postKeysByIdRotate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    grace_seconds?: number;
                } | null;
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            /** @enum {unknown} */
                            access: "read" | "write" | "admin";
                            /** Format: date-time */
                            created_at: string;
                            expires_at: string | null;
                            id: number;
                            key: string;
                            key_prefix: string | null;
                            name: string | null;
                            plan_id: number;
                            prefix: string;
                            previous_key_prefix: string | null;
                            previous_valid_until: string | null;
                            rotated_at: string | null;
                            /** @enum {unknown} */
                            status: "active" | "revoked" | "expired";
                            user_id: number;
                        };
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            409: components["responses"]["refused.409"];
            413: components["responses"]["refused.413"];
            415: components["responses"]["refused.415"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    getLocales: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            code: string;
                            /** Format: date-time */
                            createdAt: string;
                            fallback: string | null;
                            id: number;
                            isDefault: boolean;
                            name: string;
                            /** Format: date-time */
                            updatedAt: string;
                        }[];
                        meta: {
                            total: number;
                        };
                    };
                };
            };
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    postLocales: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    code: string;
                    fallback?: string | null;
                    isDefault?: boolean;
                    name: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            code: string;
                            /** Format: date-time */
                            createdAt: string;
                            fallback: string | null;
                            id: number;
                            isDefault: boolean;
                            name: string;
                            /** Format: date-time */
                            updatedAt: string;
                        };
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            409: components["responses"]["refused.409"];
            413: components["responses"]["refused.413"];
            415: components["responses"]["refused.415"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    getLocalesByCode: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                code: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            code: string;
                            /** Format: date-time */
                            createdAt: string;
                            fallback: string | null;
                            id: number;
                            isDefault: boolean;
                            name: string;
                            /** Format: date-time */
                            updatedAt: string;
                        };
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    deleteLocalesByCode: {
        parameters: {
            query?: {
                force?: boolean;
            };
            header?: never;
            path: {
                code: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            409: components["responses"]["refused.409"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    patchLocalesByCode: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                code: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    code?: string;
                    fallback?: string | null;
                    isDefault?: boolean;
                    name?: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            code: string;
                            /** Format: date-time */
                            createdAt: string;
                            fallback: string | null;
                            id: number;
                            isDefault: boolean;
                            name: string;
                            /** Format: date-time */
                            updatedAt: string;
                        };
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            409: components["responses"]["refused.409"];
            413: components["responses"]["refused.413"];
            415: components["responses"]["refused.415"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    getMe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            /** @enum {unknown} */
                            access: "read" | "write" | "admin";
                            key: {
                                /** @enum {unknown} */
                                access: "read" | "write" | "admin";
                                /** Format: date-time */
                                created_at: string;
                                expires_at: string | null;
                                id: number;
                                key_prefix: string | null;
                                /** @enum {unknown} */
                                kind?: "oauth" | "integration";
                                last_used_at: string | null;
                                name: string | null;
                                plan_id: number;
                                previous_key_prefix: string | null;
                                previous_valid_until: string | null;
                                rotated_at: string | null;
                                /** @enum {unknown} */
                                status: "active" | "revoked" | "expired";
                                user_id: number;
                            } | null;
                            kind: string;
                            limits: {
                                requests_per_minute: number;
                                requests_per_month: number;
                            } | null;
                            plan: {
                                /** Format: date-time */
                                created_at?: string;
                                currency: string;
                                endpoints: string[];
                                id: number;
                                keys_per_user: number;
                                name: string;
                                price_monthly: number;
                                /** @description -1 is unlimited */
                                requests_per_minute: number;
                                /** @description -1 is unlimited */
                                requests_per_month: number;
                                /** Format: date-time */
                                updated_at?: string;
                            } | null;
                            user: {
                                /** @enum {unknown} */
                                access: "read" | "write" | "admin";
                                /** Format: date-time */
                                created_at: string;
                                email: string;
                                id: number;
                                name: string | null;
                                /** @enum {unknown} */
                                status: "active" | "disabled";
                                /** Format: date-time */
                                updated_at: string;
                                /** Format: uuid */
                                uuid: string;
                            };
                        };
                    };
                };
            };
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    getMedia: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    postMedia: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: unknown;
                    };
                };
            };
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            409: components["responses"]["refused.409"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    getMediaById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    deleteMediaById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            409: components["responses"]["refused.409"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    patchMediaById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    alternative_text?: string | null;
                    caption?: string | null;
                    crops?: {
                        alias: string;
                        coordinates?: {
                            x1: number;
                            x2: number;
                            y1: number;
                            y2: number;
                        } | null;
                        height: number;
                        width: number;
                    }[];
                    focal_point?: {
                        left: number;
                        top: number;
                    } | null;
                    folder?: string;
                    name?: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            409: components["responses"]["refused.409"];
            413: components["responses"]["refused.413"];
            415: components["responses"]["refused.415"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    putMediaByIdFile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            409: components["responses"]["refused.409"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    getMediaByIdRelated: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    getMediaFolders: {
        parameters: {
            query?: {
                parent?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    postMediaFolders: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    path: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: unknown;
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            409: components["responses"]["refused.409"];
            413: components["responses"]["refused.413"];
            415: components["responses"]["refused.415"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    getMediaFoldersById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    deleteMediaFoldersById: {
        parameters: {
            query?: {
                recursive?: boolean;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            409: components["responses"]["refused.409"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    patchMediaFoldersById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    path: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            409: components["responses"]["refused.409"];
            413: components["responses"]["refused.413"];
            415: components["responses"]["refused.415"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    getNodes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            gateway_threads: number;
                            host: string;
                            id: string;
                            /** @description The node that answers */
                            is_this: boolean;
                            /** @description Resident memory */
                            memory_bytes: number;
                            pid: number;
                            roles: string[];
                            /** Format: date-time */
                            seen_at: string;
                            /** Format: date-time */
                            started_at: string;
                            /** @description Of the whole process; 1 where the system does not tell */
                            threads: number;
                            version: string;
                        }[];
                        meta: {
                            total: number;
                        };
                    };
                };
            };
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    getOauthClients: {
        parameters: {
            query?: {
                after_id?: unknown;
                before_id?: unknown;
                count?: unknown;
                limit?: unknown;
                order?: unknown;
                page?: unknown;
                per_page?: unknown;
                sort?: unknown;
                user_id?: unknown;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            /** @description The key record its requests are counted on */
                            api_key_id: number;
                            client_id: string;
                            /** Format: date-time */
                            created_at: string;
                            disabled: boolean;
                            id: number;
                            name: string;
                            plan_id: number;
                            scopes: ("read" | "write" | "admin")[];
                            secret_rotated_at: string | null;
                            /** Format: date-time */
                            updated_at: string;
                            user_id: number;
                        }[];
                        meta: {
                            [key: string]: unknown;
                        };
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    postOauthClients: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    plan_id: number;
                    scopes?: ("read" | "write" | "admin")[];
                    user_id?: number;
                };
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            /** @description The key record its requests are counted on */
                            api_key_id: number;
                            client_id: string;
                            client_secret: string;
                            /** Format: date-time */
                            created_at: string;
                            disabled: boolean;
                            id: number;
                            name: string;
                            plan_id: number;
                            scopes: ("read" | "write" | "admin")[];
                            secret_rotated_at: string | null;
                            /** Format: date-time */
                            updated_at: string;
                            user_id: number;
                        };
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            409: components["responses"]["refused.409"];
            413: components["responses"]["refused.413"];
            415: components["responses"]["refused.415"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    getOauthClientsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            /** @description The key record its requests are counted on */
                            api_key_id: number;
                            client_id: string;
                            /** Format: date-time */
                            created_at: string;
                            disabled: boolean;
                            id: number;
                            name: string;
                            plan_id: number;
                            scopes: ("read" | "write" | "admin")[];
                            secret_rotated_at: string | null;
                            /** Format: date-time */
                            updated_at: string;
                            user_id: number;
                        };
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    deleteOauthClientsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            409: components["responses"]["refused.409"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    patchOauthClientsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    disabled?: boolean;
                    name?: string;
                    plan_id?: number;
                    scopes?: ("read" | "write" | "admin")[];
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            /** @description The key record its requests are counted on */
                            api_key_id: number;
                            client_id: string;
                            /** Format: date-time */
                            created_at: string;
                            disabled: boolean;
                            id: number;
                            name: string;
                            plan_id: number;
                            scopes: ("read" | "write" | "admin")[];
                            secret_rotated_at: string | null;
                            /** Format: date-time */
                            updated_at: string;
                            user_id: number;
                        };
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            409: components["responses"]["refused.409"];
            413: components["responses"]["refused.413"];
            415: components["responses"]["refused.415"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    postOauthClientsByIdRotateSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            /** @description The key record its requests are counted on */
                            api_key_id: number;
                            client_id: string;
                            client_secret: string;
                            /** Format: date-time */
                            created_at: string;
                            disabled: boolean;
                            id: number;
                            name: string;
                            plan_id: number;
                            scopes: ("read" | "write" | "admin")[];
                            secret_rotated_at: string | null;
                            /** Format: date-time */
                            updated_at: string;
                            user_id: number;
                        };
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            409: components["responses"]["refused.409"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    getOverview: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            changes: {
                                /** Format: date-time */
                                at: string;
                                document_id: string;
                                event: string;
                                locale: string | null;
                                type: string;
                            }[];
                            /** @description `sqlite` or `postgres` */
                            database: string;
                            /** @description Nodes of upstreams that this node of the gateway finds unhealthy */
                            failing_upstreams: {
                                host: string;
                                port: number;
                                upstream: string;
                            }[];
                            failing_webhooks: {
                                some: {
                                    consumer_id: string;
                                    disabled_reason: string | null;
                                    endpoint_url: string;
                                    failure_count: number;
                                    id: string;
                                    is_active: boolean;
                                }[];
                                total: number;
                            };
                            nodes: {
                                gateway_threads: number;
                                host: string;
                                id: string;
                                /** @description The node that answers */
                                is_this: boolean;
                                /** @description Resident memory */
                                memory_bytes: number;
                                pid: number;
                                roles: string[];
                                /** Format: date-time */
                                seen_at: string;
                                /** Format: date-time */
                                started_at: string;
                                /** @description Of the whole process; 1 where the system does not tell */
                                threads: number;
                                version: string;
                            }[];
                            /** @description The last day in quarters of an hour, the current one last */
                            requests: {
                                /** Format: date-time */
                                at: string;
                                /** @description Of these with status 500 or above */
                                errors: number;
                                gateway_errors: number;
                                gateway_requests: number;
                                /** @description Answered by the API, with a key or without */
                                requests: number;
                            }[];
                            runs: {
                                some: {
                                    id: number;
                                    items_collected: number;
                                    pages_fetched: number;
                                    scraper: string;
                                    scraper_id: number;
                                    /** Format: date-time */
                                    started_at: string;
                                    status: string;
                                }[];
                                total: number;
                            };
                            storage: {
                                /** @description Left where the data directory of this node lies */
                                free_bytes: number;
                                parts: {
                                    [key: string]: number;
                                };
                                total_bytes: number;
                            };
                            version: string;
                        };
                    };
                };
            };
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    getOverviewBackups: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            bytes: number;
                            /** Format: date-time */
                            created_at: string;
                            name: string;
                        }[];
                        meta: {
                            failed_at: string | null;
                            /** @description Files that the last backup since the start lacks, because they lie in the directory of a node that does not run */
                            missing_files: number;
                            running_since: string | null;
                        };
                    };
                };
            };
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    postOverviewBackups: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            failed_at: string | null;
                            /** @description Files that the last backup since the start lacks, because they lie in the directory of a node that does not run */
                            missing_files: number;
                            running_since: string | null;
                        };
                    };
                };
            };
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            409: components["responses"]["refused.409"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    getOverviewBackupsByName: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    deleteOverviewBackupsByName: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            409: components["responses"]["refused.409"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    getOverviewLog: {
        parameters: {
            query: {
                /** @description This one and above */
                level: "debug" | "info" | "warn" | "error";
                limit: number;
                /** @description A part of the line, in any case of letters */
                q?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: ({
                            level: string;
                            msg: string;
                            thread: string;
                            /** Format: date-time */
                            time: string;
                        } & {
                            [key: string]: unknown;
                        })[];
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    getOverviewLogStream: {
        parameters: {
            query: {
                /** @description This one and above */
                level: "debug" | "info" | "warn" | "error";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    getPlans: {
        parameters: {
            query?: {
                after_id?: unknown;
                before_id?: unknown;
                count?: unknown;
                limit?: unknown;
                order?: unknown;
                page?: unknown;
                per_page?: unknown;
                sort?: unknown;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            /** Format: date-time */
                            created_at?: string;
                            currency: string;
                            endpoints: string[];
                            id: number;
                            keys_per_user: number;
                            name: string;
                            price_monthly: number;
                            /** @description -1 is unlimited */
                            requests_per_minute: number;
                            /** @description -1 is unlimited */
                            requests_per_month: number;
                            /** Format: date-time */
                            updated_at?: string;
                        }[];
                        meta: {
                            [key: string]: unknown;
                        };
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    postPlans: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    currency?: string;
                    endpoints?: string[];
                    keys_per_user?: number;
                    name: string;
                    price_monthly?: number | string;
                    requests_per_minute: number;
                    requests_per_month: number;
                };
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            /** Format: date-time */
                            created_at?: string;
                            currency: string;
                            endpoints: string[];
                            id: number;
                            keys_per_user: number;
                            name: string;
                            price_monthly: number;
                            /** @description -1 is unlimited */
                            requests_per_minute: number;
                            /** @description -1 is unlimited */
                            requests_per_month: number;
                            /** Format: date-time */
                            updated_at?: string;
                        };
                        warnings?: string[];
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            409: components["responses"]["refused.409"];
            413: components["responses"]["refused.413"];
            415: components["responses"]["refused.415"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    getPlansById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            /** Format: date-time */
                            created_at?: string;
                            currency: string;
                            endpoints: string[];
                            id: number;
                            keys_per_user: number;
                            name: string;
                            price_monthly: number;
                            /** @description -1 is unlimited */
                            requests_per_minute: number;
                            /** @description -1 is unlimited */
                            requests_per_month: number;
                            /** Format: date-time */
                            updated_at?: string;
                        };
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    putPlansById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    currency?: string;
                    endpoints?: string[];
                    keys_per_user?: number;
                    name: string;
                    price_monthly?: number | string;
                    requests_per_minute: number;
                    requests_per_month: number;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            /** Format: date-time */
                            created_at?: string;
                            currency: string;
                            endpoints: string[];
                            id: number;
                            keys_per_user: number;
                            name: string;
                            price_monthly: number;
                            /** @description -1 is unlimited */
                            requests_per_minute: number;
                            /** @description -1 is unlimited */
                            requests_per_month: number;
                            /** Format: date-time */
                            updated_at?: string;
                        };
                        warnings?: string[];
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            409: components["responses"]["refused.409"];
            413: components["responses"]["refused.413"];
            415: components["responses"]["refused.415"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    deletePlansById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            409: components["responses"]["refused.409"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    patchPlansById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    currency?: string;
                    endpoints?: string[];
                    keys_per_user?: number;
                    name?: string;
                    price_monthly?: number | string;
                    requests_per_minute?: number;
                    requests_per_month?: number;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            /** Format: date-time */
                            created_at?: string;
                            currency: string;
                            endpoints: string[];
                            id: number;
                            keys_per_user: number;
                            name: string;
                            price_monthly: number;
                            /** @description -1 is unlimited */
                            requests_per_minute: number;
                            /** @description -1 is unlimited */
                            requests_per_month: number;
                            /** Format: date-time */
                            updated_at?: string;
                        };
                        warnings?: string[];
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            409: components["responses"]["refused.409"];
            413: components["responses"]["refused.413"];
            415: components["responses"]["refused.415"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    getProxyPools: {
        parameters: {
            query?: {
                after_id?: unknown;
                before_id?: unknown;
                count?: unknown;
                limit?: unknown;
                order?: unknown;
                page?: unknown;
                per_page?: unknown;
                sort?: unknown;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            [key: string]: unknown;
                        }[];
                        meta: {
                            [key: string]: unknown;
                        };
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    postProxyPools: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    proxies?: string[];
                    /** @enum {unknown} */
                    strategy?: "round_robin" | "random" | "sticky_host";
                };
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            409: components["responses"]["refused.409"];
            413: components["responses"]["refused.413"];
            415: components["responses"]["refused.415"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    getProxyPoolsByName: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    deleteProxyPoolsByName: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            409: components["responses"]["refused.409"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    patchProxyPoolsByName: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name?: string;
                    proxies?: string[];
                    /** @enum {unknown} */
                    strategy?: "round_robin" | "random" | "sticky_host";
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            409: components["responses"]["refused.409"];
            413: components["responses"]["refused.413"];
            415: components["responses"]["refused.415"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    getScrapers: {
        parameters: {
            query?: {
                after_id?: unknown;
                before_id?: unknown;
                count?: unknown;
                created_after?: unknown;
                limit?: unknown;
                name?: unknown;
                order?: unknown;
                page?: unknown;
                per_page?: unknown;
                sort?: unknown;
                status?: unknown;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            [key: string]: unknown;
                        }[];
                        meta: {
                            [key: string]: unknown;
                        };
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    postScrapers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    crawl?: {
                        /** @default 4 */
                        concurrency?: number | null;
                        /** @default 0 */
                        delay_ms?: number | null;
                        /** @default [] */
                        exclude?: string[] | null;
                        /** @default origin */
                        follow?: ("none" | "origin" | "host" | "domain" | "any") | null;
                        /** @default [] */
                        include?: string[] | null;
                        /** @default false */
                        incremental?: boolean | null;
                        /** @default false */
                        load_media?: boolean | null;
                        /** @default 10485760 */
                        max_body_bytes?: number | null;
                        /** @default 3 */
                        max_depth?: number | null;
                        /** @default 3600 */
                        max_duration_seconds?: number | null;
                        /** @default null */
                        max_items?: number | null;
                        /** @default 100 */
                        max_pages?: number | null;
                        /** @default 2 */
                        max_retries?: number | null;
                        /** @default http */
                        render?: ("http" | "browser") | null;
                        /** @default respect */
                        robots?: ("respect" | "ignore") | null;
                        /** @default off */
                        sitemap?: ("off" | "include" | "only") | null;
                        /**
                         * @default [
                         *       "utm_*",
                         *       "gclid",
                         *       "fbclid"
                         *     ]
                         */
                        strip_params?: string[] | null;
                        /** @default 30 */
                        timeout_seconds?: number | null;
                        /** @default null */
                        wait_for?: string | null;
                    };
                    extract?: {
                        /** @default {} */
                        fields?: {
                            [key: string]: string | {
                                /** @default null */
                                attr?: string | null;
                                /** @default null */
                                default?: unknown | null;
                                /** @default false */
                                many?: boolean | null;
                                /** @default null */
                                regex?: string | null;
                                /** @default false */
                                required?: boolean | null;
                                /** @default null */
                                selector?: string | null;
                                /** @default string */
                                type?: ("string" | "number" | "integer" | "boolean" | "date" | "url") | null;
                            };
                        } | null;
                        /** @default null */
                        item_path?: string | null;
                        /** @default null */
                        item_selector?: string | null;
                        /** @default null */
                        key?: string | null;
                        /** @default [] */
                        match?: string[] | null;
                        /** @default auto */
                        mode?: ("auto" | "fields" | "both") | null;
                    };
                    /** @default {} */
                    headers?: {
                        [key: string]: string;
                    } | null;
                    /** @default  */
                    name: string | null;
                    output?: {
                        /** @default  */
                        collection?: string | null;
                        /** @default false */
                        create?: boolean | null;
                        /** @default url */
                        key?: string | null;
                        /** @default null */
                        locale?: string | null;
                        /** @default {} */
                        map?: {
                            [key: string]: string | Record<string, never>;
                        } | null;
                        /** @default {} */
                        media?: {
                            [key: string]: string;
                        } | null;
                        /** @default keep */
                        on_edited?: ("keep" | "overwrite") | null;
                        /** @default keep */
                        on_missing?: ("keep" | "unpublish" | "delete") | null;
                        /** @default true */
                        publish?: boolean | null;
                    };
                    /** @default null */
                    proxy_pool?: string | null;
                    /** @default 5 */
                    rate_limit?: number | null;
                    /** @default null */
                    schedule?: string | null;
                    /** @default true */
                    schedule_enabled?: boolean | null;
                    /** @default [] */
                    start_urls?: string[] | null;
                    /** @default UTC */
                    timezone?: string | null;
                    /** @default  */
                    url: string | null;
                };
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            409: components["responses"]["refused.409"];
            413: components["responses"]["refused.413"];
            415: components["responses"]["refused.415"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    getScrapersById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    deleteScrapersById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            409: components["responses"]["refused.409"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    patchScrapersById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    crawl?: {
                        /** @default 4 */
                        concurrency?: number | null;
                        /** @default 0 */
                        delay_ms?: number | null;
                        /** @default [] */
                        exclude?: string[] | null;
                        /** @default origin */
                        follow?: ("none" | "origin" | "host" | "domain" | "any") | null;
                        /** @default [] */
                        include?: string[] | null;
                        /** @default false */
                        incremental?: boolean | null;
                        /** @default false */
                        load_media?: boolean | null;
                        /** @default 10485760 */
                        max_body_bytes?: number | null;
                        /** @default 3 */
                        max_depth?: number | null;
                        /** @default 3600 */
                        max_duration_seconds?: number | null;
                        /** @default null */
                        max_items?: number | null;
                        /** @default 100 */
                        max_pages?: number | null;
                        /** @default 2 */
                        max_retries?: number | null;
                        /** @default http */
                        render?: ("http" | "browser") | null;
                        /** @default respect */
                        robots?: ("respect" | "ignore") | null;
                        /** @default off */
                        sitemap?: ("off" | "include" | "only") | null;
                        /**
                         * @default [
                         *       "utm_*",
                         *       "gclid",
                         *       "fbclid"
                         *     ]
                         */
                        strip_params?: string[] | null;
                        /** @default 30 */
                        timeout_seconds?: number | null;
                        /** @default null */
                        wait_for?: string | null;
                    };
                    extract?: {
                        /** @default {} */
                        fields?: {
                            [key: string]: string | {
                                /** @default null */
                                attr?: string | null;
                                /** @default null */
                                default?: unknown | null;
                                /** @default false */
                                many?: boolean | null;
                                /** @default null */
                                regex?: string | null;
                                /** @default false */
                                required?: boolean | null;
                                /** @default null */
                                selector?: string | null;
                                /** @default string */
                                type?: ("string" | "number" | "integer" | "boolean" | "date" | "url") | null;
                            };
                        } | null;
                        /** @default null */
                        item_path?: string | null;
                        /** @default null */
                        item_selector?: string | null;
                        /** @default null */
                        key?: string | null;
                        /** @default [] */
                        match?: string[] | null;
                        /** @default auto */
                        mode?: ("auto" | "fields" | "both") | null;
                    };
                    /** @default {} */
                    headers?: {
                        [key: string]: string;
                    } | null;
                    /** @default  */
                    name?: string | null;
                    output?: {
                        /** @default  */
                        collection?: string | null;
                        /** @default false */
                        create?: boolean | null;
                        /** @default url */
                        key?: string | null;
                        /** @default null */
                        locale?: string | null;
                        /** @default {} */
                        map?: {
                            [key: string]: string | Record<string, never>;
                        } | null;
                        /** @default {} */
                        media?: {
                            [key: string]: string;
                        } | null;
                        /** @default keep */
                        on_edited?: ("keep" | "overwrite") | null;
                        /** @default keep */
                        on_missing?: ("keep" | "unpublish" | "delete") | null;
                        /** @default true */
                        publish?: boolean | null;
                    };
                    /** @default null */
                    proxy_pool?: string | null;
                    /** @default 5 */
                    rate_limit?: number | null;
                    /** @default null */
                    schedule?: string | null;
                    /** @default true */
                    schedule_enabled?: boolean | null;
                    /** @default [] */
                    start_urls?: string[] | null;
                    /** @default UTC */
                    timezone?: string | null;
                    /** @default  */
                    url?: string | null;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            409: components["responses"]["refused.409"];
            413: components["responses"]["refused.413"];
            415: components["responses"]["refused.415"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    getScrapersByIdResults: {
        parameters: {
            query?: {
                after_id?: unknown;
                before_id?: unknown;
                change?: unknown;
                count?: unknown;
                csv_safe?: unknown;
                fields?: unknown;
                format?: unknown;
                limit?: unknown;
                order?: unknown;
                page?: unknown;
                per_page?: unknown;
                run_id?: unknown;
                sort?: unknown;
                url?: unknown;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    postScrapersByIdRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        run_id: number;
                        /** @constant */
                        status: "started";
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            409: components["responses"]["refused.409"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    getScrapersByIdRuns: {
        parameters: {
            query?: {
                after_id?: unknown;
                before_id?: unknown;
                count?: unknown;
                created_after?: unknown;
                limit?: unknown;
                order?: unknown;
                page?: unknown;
                per_page?: unknown;
                sort?: unknown;
                status?: unknown;
                trigger?: unknown;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            [key: string]: unknown;
                        }[];
                        meta: {
                            [key: string]: unknown;
                        };
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    getScrapersByIdRunsByRunId: {
        parameters: {
            query?: {
                wait?: unknown;
            };
            header?: never;
            path: {
                id: string;
                runId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    deleteScrapersByIdRunsByRunId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                runId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            409: components["responses"]["refused.409"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    getScrapersByIdRunsByRunIdEvents: {
        parameters: {
            query?: {
                last_event_id?: unknown;
            };
            header?: never;
            path: {
                id: string;
                runId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    getScrapersByIdRunsByRunIdLog: {
        parameters: {
            query?: {
                after_id?: unknown;
                before_id?: unknown;
                count?: unknown;
                level?: unknown;
                limit?: unknown;
                order?: unknown;
                page?: unknown;
                per_page?: unknown;
                sort?: unknown;
            };
            header?: never;
            path: {
                id: string;
                runId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            [key: string]: unknown;
                        }[];
                        meta: {
                            [key: string]: unknown;
                        };
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    getScrapersByIdRunsByRunIdResults: {
        parameters: {
            query?: {
                after_id?: unknown;
                before_id?: unknown;
                change?: unknown;
                count?: unknown;
                csv_safe?: unknown;
                fields?: unknown;
                format?: unknown;
                limit?: unknown;
                order?: unknown;
                page?: unknown;
                per_page?: unknown;
                run_id?: unknown;
                sort?: unknown;
                url?: unknown;
            };
            header?: never;
            path: {
                id: string;
                runId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    getScrapersByIdStatus: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: number;
                        items_count: number;
                        last_run: string | null;
                        next_run_at: string | null;
                        run_id: number | null;
                        status: string;
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    postScrapersByIdStop: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        run_id: number;
                        /** @enum {unknown} */
                        status: "stopped" | "stopping";
                    };
                };
            };
            /** @description Default Response */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        run_id: number;
                        /** @enum {unknown} */
                        status: "stopped" | "stopping";
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            409: components["responses"]["refused.409"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    postScrapersPreview: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    crawl?: {
                        /** @default 4 */
                        concurrency?: number | null;
                        /** @default 0 */
                        delay_ms?: number | null;
                        /** @default [] */
                        exclude?: string[] | null;
                        /** @default origin */
                        follow?: ("none" | "origin" | "host" | "domain" | "any") | null;
                        /** @default [] */
                        include?: string[] | null;
                        /** @default false */
                        incremental?: boolean | null;
                        /** @default false */
                        load_media?: boolean | null;
                        /** @default 10485760 */
                        max_body_bytes?: number | null;
                        /** @default 3 */
                        max_depth?: number | null;
                        /** @default 3600 */
                        max_duration_seconds?: number | null;
                        /** @default null */
                        max_items?: number | null;
                        /** @default 100 */
                        max_pages?: number | null;
                        /** @default 2 */
                        max_retries?: number | null;
                        /** @default http */
                        render?: ("http" | "browser") | null;
                        /** @default respect */
                        robots?: ("respect" | "ignore") | null;
                        /** @default off */
                        sitemap?: ("off" | "include" | "only") | null;
                        /**
                         * @default [
                         *       "utm_*",
                         *       "gclid",
                         *       "fbclid"
                         *     ]
                         */
                        strip_params?: string[] | null;
                        /** @default 30 */
                        timeout_seconds?: number | null;
                        /** @default null */
                        wait_for?: string | null;
                    };
                    extract?: {
                        /** @default {} */
                        fields?: {
                            [key: string]: string | {
                                /** @default null */
                                attr?: string | null;
                                /** @default null */
                                default?: unknown | null;
                                /** @default false */
                                many?: boolean | null;
                                /** @default null */
                                regex?: string | null;
                                /** @default false */
                                required?: boolean | null;
                                /** @default null */
                                selector?: string | null;
                                /** @default string */
                                type?: ("string" | "number" | "integer" | "boolean" | "date" | "url") | null;
                            };
                        } | null;
                        /** @default null */
                        item_path?: string | null;
                        /** @default null */
                        item_selector?: string | null;
                        /** @default null */
                        key?: string | null;
                        /** @default [] */
                        match?: string[] | null;
                        /** @default auto */
                        mode?: ("auto" | "fields" | "both") | null;
                    };
                    /** @default {} */
                    headers?: {
                        [key: string]: string;
                    } | null;
                    /** @default  */
                    name?: string | null;
                    output?: {
                        /** @default  */
                        collection?: string | null;
                        /** @default false */
                        create?: boolean | null;
                        /** @default url */
                        key?: string | null;
                        /** @default null */
                        locale?: string | null;
                        /** @default {} */
                        map?: {
                            [key: string]: string | Record<string, never>;
                        } | null;
                        /** @default {} */
                        media?: {
                            [key: string]: string;
                        } | null;
                        /** @default keep */
                        on_edited?: ("keep" | "overwrite") | null;
                        /** @default keep */
                        on_missing?: ("keep" | "unpublish" | "delete") | null;
                        /** @default true */
                        publish?: boolean | null;
                    };
                    /** @default null */
                    proxy_pool?: string | null;
                    /** @default 5 */
                    rate_limit?: number | null;
                    /** @default null */
                    schedule?: string | null;
                    /** @default true */
                    schedule_enabled?: boolean | null;
                    /** @default [] */
                    start_urls?: string[] | null;
                    /** @default UTC */
                    timezone?: string | null;
                    /** @default  */
                    url: string | null;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            409: components["responses"]["refused.409"];
            413: components["responses"]["refused.413"];
            415: components["responses"]["refused.415"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    getSearch: {
        parameters: {
            query: {
                /** @description false leaves out the total */
                count?: components["parameters"]["content.count"];
                /** @description A language or all */
                locale?: string;
                /** @description From 1 */
                page?: components["parameters"]["content.page"];
                /** @description At most 100 */
                per_page?: components["parameters"]["content.per_page"];
                /** @description Words, of which the last may be a beginning, and "phrases in quotes" */
                q: string;
                status?: "published" | "all";
                /** @description Comma-separated */
                types?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            document_id: string;
                            /** @description By attribute: safe HTML with <mark> around what was found */
                            highlights: {
                                [key: string]: string;
                            };
                            id: number;
                            locale?: string | null;
                            path: string | null;
                            status?: string;
                            title: unknown;
                            type: string;
                            /** Format: date-time */
                            updated_at: string;
                            url: string;
                        }[];
                        meta: components["schemas"]["shared.meta"];
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    getSettings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            area: string;
                            members: {
                                /** @description Completes “must be …” */
                                expects: string;
                                name: string;
                                /** @description `default`, `file`, `environment` or `stored` */
                                origin: string;
                                schema: {
                                    [key: string]: unknown;
                                };
                                summary: string;
                                value: unknown;
                            }[];
                        }[];
                    };
                };
            };
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    getSettingsByArea: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                area: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            [key: string]: {
                                origin: string;
                                value: unknown;
                            };
                        };
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    patchSettingsByArea: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                area: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            [key: string]: {
                                origin: string;
                                value: unknown;
                            };
                        };
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            409: components["responses"]["refused.409"];
            413: components["responses"]["refused.413"];
            415: components["responses"]["refused.415"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    getSignIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            /** Format: date-time */
                            expires_at: string;
                            user: {
                                /** @enum {unknown} */
                                access: "read" | "write" | "admin";
                                /** Format: date-time */
                                created_at: string;
                                email: string;
                                id: number;
                                name: string | null;
                                /** @enum {unknown} */
                                status: "active" | "disabled";
                                /** Format: date-time */
                                updated_at: string;
                                /** Format: uuid */
                                uuid: string;
                            };
                        };
                    };
                };
            };
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    postSignIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    email: string;
                    password: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            /** Format: date-time */
                            expires_at: string;
                            user: {
                                /** @enum {unknown} */
                                access: "read" | "write" | "admin";
                                /** Format: date-time */
                                created_at: string;
                                email: string;
                                id: number;
                                name: string | null;
                                /** @enum {unknown} */
                                status: "active" | "disabled";
                                /** Format: date-time */
                                updated_at: string;
                                /** Format: uuid */
                                uuid: string;
                            };
                        };
                    };
                };
            };
            400: components["responses"]["refused.400"];
            409: components["responses"]["refused.409"];
            413: components["responses"]["refused.413"];
            415: components["responses"]["refused.415"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    deleteSignIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            409: components["responses"]["refused.409"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    postSignInPassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    password: string;
                    /** @description What the link in the mail holds */
                    token: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["refused.400"];
            409: components["responses"]["refused.409"];
            413: components["responses"]["refused.413"];
            415: components["responses"]["refused.415"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    postSignInReset: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    email: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            accepted: boolean;
                        };
                    };
                };
            };
            400: components["responses"]["refused.400"];
            409: components["responses"]["refused.409"];
            413: components["responses"]["refused.413"];
            415: components["responses"]["refused.415"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    postStreamTickets: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            /** Format: date-time */
                            expires_at: string;
                            ticket: string;
                        };
                    };
                };
            };
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            409: components["responses"]["refused.409"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    getUsage: {
        parameters: {
            query?: {
                /** @description Only this key; by default the calling key, with a sign-in all own keys together */
                key_id?: number;
                /** @description With scope=plan */
                plan_id?: number;
                /** @description All keys together, or those that have the plan `plan_id`; for admins */
                scope?: "all" | "plan";
                /** @description All keys of this user; for admins */
                user_id?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            avgResponseMs: number;
                            minute: number;
                            minuteLimit: number | null;
                            /** @description What they cost in this UTC month, usually 1 each */
                            month: number;
                            monthLimit: number | null;
                            /** @description Refused by a limit */
                            rejectedToday: number;
                            remaining: number | null;
                            /** Format: date-time */
                            resetsAt: string;
                            /** @description Requests served in this UTC day */
                            today: number;
                        };
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    getUsageBreakdown: {
        parameters: {
            query: {
                by: "key" | "user" | "plan";
                /** @description A date in UTC, or a date-time with a zone */
                from?: string;
                limit: number;
                /** @description A date in UTC, or a date-time with a zone; not included */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            avgResponseMs: number;
                            /** @description Served, answered with 400 or above */
                            errors: number;
                            /** @description Of the key, user or plan */
                            id: number;
                            name: string | null;
                            /** @description Refused by a limit */
                            rejected: number;
                            /** @description Served */
                            requests: number;
                        }[];
                        meta: {
                            by: string;
                            /** Format: date-time */
                            from: string;
                            /** Format: date-time */
                            to: string;
                            total: number;
                        };
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    getUsageEndpoints: {
        parameters: {
            query?: {
                /** @description A date in UTC, or a date-time with a zone */
                from?: string;
                /** @description Only this key; by default the calling key, with a sign-in all own keys together */
                key_id?: number;
                /** @description With scope=plan */
                plan_id?: number;
                /** @description All keys together, or those that have the plan `plan_id`; for admins */
                scope?: "all" | "plan";
                /** @description A date in UTC, or a date-time with a zone; not included */
                to?: string;
                /** @description All keys of this user; for admins */
                user_id?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            avgResponseMs: number;
                            endpoint: string;
                            /** @description Served, answered with 400 or above */
                            errors: number;
                            method: string;
                            p50ResponseMs: number;
                            p95ResponseMs: number;
                            p99ResponseMs: number;
                            /** @description Refused by a limit */
                            rejected: number;
                            /** @description Served */
                            requests: number;
                        }[];
                        meta: {
                            /** Format: date-time */
                            from: string;
                            /** Format: date-time */
                            to: string;
                        };
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    getUsageInvoice: {
        parameters: {
            query?: {
                /** @description Only what is paid in this currency, where plans have several */
                currency?: string;
                /** @description Only this key; by default the calling key, with a sign-in all own keys together */
                key_id?: number;
                /** @description 2026-03; by default the current month */
                month?: string;
                /** @description All keys of this user; for admins */
                user_id?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            currency: string;
                            estimated: boolean;
                            lines: {
                                amount: number;
                                days: number;
                                /** Format: date-time */
                                from: string;
                                key_id: number;
                                plan: string;
                                plan_id: number;
                                /** Format: date-time */
                                to: string;
                            }[];
                            month: string;
                            requests: number;
                            total: number;
                        };
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    getUsageInvoices: {
        parameters: {
            query: {
                /** @description Text that a spreadsheet would take for a formula is preceded by an apostrophe */
                csv_safe: boolean;
                format?: "json" | "csv";
                /** @description 2026-03; by default the current month */
                month?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            currency: string;
                            /** @description That are paid for in the month */
                            keys: number;
                            requests: number;
                            total: number;
                            user: string | null;
                            user_id: number;
                        }[];
                        meta: {
                            estimated: boolean;
                            month: string;
                        };
                    };
                    "text/csv": string;
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    getUsageRecords: {
        parameters: {
            query: {
                /** @description The records before this one in time */
                after_id?: string;
                /** @description The records after this one in time */
                before_id?: string;
                /** @description Text that a spreadsheet would take for a formula is preceded by an apostrophe */
                csv_safe: boolean;
                /** @description As in the records, /api/v1/articles/{id} */
                endpoint?: string;
                /** @description ndjson and csv hold all records and are streamed; else Accept decides */
                format?: "json" | "ndjson" | "csv";
                /** @description A date in UTC, or a date-time with a zone */
                from?: string;
                /** @description Only this key; by default the calling key, with a sign-in all own keys together */
                key_id?: number;
                /** @description 1 to 1000, 20 by default */
                limit?: string;
                status_code?: number;
                /** @description A date in UTC, or a date-time with a zone; not included */
                to?: string;
                /** @description All keys of this user; for admins */
                user_id?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            api_key_id: number;
                            /** @description What it added to the month */
                            cost: number;
                            /** @description Let through by the limits, so it consumed quota */
                            counted: boolean;
                            /** Format: date-time */
                            created_at: string;
                            endpoint: string;
                            id: number;
                            method: string;
                            request_id: string;
                            response_ms: number;
                            status_code: number;
                        }[];
                        meta: {
                            after_id: number | null;
                            has_more: boolean;
                            limit: number;
                            next_after_id: number | null;
                        };
                    };
                    "application/x-ndjson": string;
                    "text/csv": string;
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    getUsageSeries: {
        parameters: {
            query: {
                /** @description A date in UTC, or a date-time with a zone */
                from?: string;
                interval: "minute" | "hour" | "day";
                /** @description Only this key; by default the calling key, with a sign-in all own keys together */
                key_id?: number;
                /** @description With scope=plan */
                plan_id?: number;
                /** @description All keys together, or those that have the plan `plan_id`; for admins */
                scope?: "all" | "plan";
                /** @description A date in UTC, or a date-time with a zone; not included */
                to?: string;
                /** @description All keys of this user; for admins */
                user_id?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            /** Format: date-time */
                            at: string;
                            avgResponseMs: number;
                            /** @description Served, answered with 400 or above */
                            errors: number;
                            /** @description Refused by a limit */
                            rejected: number;
                            /** @description Served */
                            requests: number;
                        }[];
                        meta: {
                            /** Format: date-time */
                            from: string;
                            interval: string;
                            /** Format: date-time */
                            to: string;
                        };
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    getUsageStream: {
        parameters: {
            query?: {
                /** @description Only this key; by default the calling key, with a sign-in all own keys together */
                key_id?: number;
                /** @description Where the header Last-Event-ID cannot be sent */
                last_event_id?: string;
                /** @description All keys of this user; for admins */
                user_id?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    getUsers: {
        parameters: {
            query?: {
                after_id?: unknown;
                before_id?: unknown;
                count?: unknown;
                created_after?: unknown;
                email?: unknown;
                limit?: unknown;
                order?: unknown;
                page?: unknown;
                per_page?: unknown;
                q?: unknown;
                sort?: unknown;
                status?: unknown;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            /** @enum {unknown} */
                            access: "read" | "write" | "admin";
                            /** Format: date-time */
                            created_at: string;
                            email: string;
                            id: number;
                            name: string | null;
                            /** @enum {unknown} */
                            status: "active" | "disabled";
                            /** Format: date-time */
                            updated_at: string;
                            /** Format: uuid */
                            uuid: string;
                        }[];
                        meta: {
                            [key: string]: unknown;
                        };
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    postUsers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {unknown} */
                    access?: "read" | "write" | "admin";
                    email: string;
                    name?: string | null;
                    password?: string | null;
                };
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            /** @enum {unknown} */
                            access: "read" | "write" | "admin";
                            /** Format: date-time */
                            created_at: string;
                            email: string;
                            id: number;
                            name: string | null;
                            /** @enum {unknown} */
                            status: "active" | "disabled";
                            /** Format: date-time */
                            updated_at: string;
                            /** Format: uuid */
                            uuid: string;
                        };
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            409: components["responses"]["refused.409"];
            413: components["responses"]["refused.413"];
            415: components["responses"]["refused.415"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    getUsersById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            /** @enum {unknown} */
                            access: "read" | "write" | "admin";
                            /** Format: date-time */
                            created_at: string;
                            email: string;
                            id: number;
                            name: string | null;
                            /** @enum {unknown} */
                            status: "active" | "disabled";
                            /** Format: date-time */
                            updated_at: string;
                            /** Format: uuid */
                            uuid: string;
                        };
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    deleteUsersById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            409: components["responses"]["refused.409"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    patchUsersById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {unknown} */
                    access?: "read" | "write" | "admin";
                    email?: string;
                    name?: string | null;
                    password?: string | null;
                    /** @enum {unknown} */
                    status?: "active" | "disabled";
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            /** @enum {unknown} */
                            access: "read" | "write" | "admin";
                            /** Format: date-time */
                            created_at: string;
                            email: string;
                            id: number;
                            name: string | null;
                            /** @enum {unknown} */
                            status: "active" | "disabled";
                            /** Format: date-time */
                            updated_at: string;
                            /** Format: uuid */
                            uuid: string;
                        };
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            409: components["responses"]["refused.409"];
            413: components["responses"]["refused.413"];
            415: components["responses"]["refused.415"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    getViews: {
        parameters: {
            query?: {
                after_id?: unknown;
                area?: unknown;
                before_id?: unknown;
                count?: unknown;
                limit?: unknown;
                order?: unknown;
                page?: unknown;
                per_page?: unknown;
                sort?: unknown;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            area: string;
                            /** Format: date-time */
                            created_at: string;
                            id: number;
                            name: string;
                            /** @description Filters, columns and order, in whatever form the page that shows them wants */
                            query: {
                                [key: string]: unknown;
                            };
                            shared: boolean;
                            /** Format: date-time */
                            updated_at: string;
                            /** @description The owner; null once that user is deleted */
                            user_id: number | null;
                        }[];
                        meta: {
                            [key: string]: unknown;
                        };
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    postViews: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description What is listed, such as `content/articles` */
                    area: string;
                    name: string;
                    /** @description Filters, columns and order, in whatever form the page that shows them wants */
                    query: {
                        [key: string]: unknown;
                    };
                    shared?: boolean;
                };
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            area: string;
                            /** Format: date-time */
                            created_at: string;
                            id: number;
                            name: string;
                            /** @description Filters, columns and order, in whatever form the page that shows them wants */
                            query: {
                                [key: string]: unknown;
                            };
                            shared: boolean;
                            /** Format: date-time */
                            updated_at: string;
                            /** @description The owner; null once that user is deleted */
                            user_id: number | null;
                        };
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            409: components["responses"]["refused.409"];
            413: components["responses"]["refused.413"];
            415: components["responses"]["refused.415"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    getViewsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            area: string;
                            /** Format: date-time */
                            created_at: string;
                            id: number;
                            name: string;
                            /** @description Filters, columns and order, in whatever form the page that shows them wants */
                            query: {
                                [key: string]: unknown;
                            };
                            shared: boolean;
                            /** Format: date-time */
                            updated_at: string;
                            /** @description The owner; null once that user is deleted */
                            user_id: number | null;
                        };
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    deleteViewsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            409: components["responses"]["refused.409"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    patchViewsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description What is listed, such as `content/articles` */
                    area?: string;
                    name?: string;
                    /** @description Filters, columns and order, in whatever form the page that shows them wants */
                    query?: {
                        [key: string]: unknown;
                    };
                    shared?: boolean;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            area: string;
                            /** Format: date-time */
                            created_at: string;
                            id: number;
                            name: string;
                            /** @description Filters, columns and order, in whatever form the page that shows them wants */
                            query: {
                                [key: string]: unknown;
                            };
                            shared: boolean;
                            /** Format: date-time */
                            updated_at: string;
                            /** @description The owner; null once that user is deleted */
                            user_id: number | null;
                        };
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            409: components["responses"]["refused.409"];
            413: components["responses"]["refused.413"];
            415: components["responses"]["refused.415"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    getWebhooks: {
        parameters: {
            query?: {
                after_id?: unknown;
                before_id?: unknown;
                consumer_id?: unknown;
                count?: unknown;
                limit?: unknown;
                order?: unknown;
                page?: unknown;
                per_page?: unknown;
                sort?: unknown;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            [key: string]: unknown;
                        }[];
                        meta: {
                            [key: string]: unknown;
                        };
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    postWebhooks: {
        parameters: {
            query?: {
                after_id?: unknown;
                before_id?: unknown;
                consumer_id?: unknown;
                count?: unknown;
                events?: unknown;
                limit?: unknown;
                order?: unknown;
                page?: unknown;
                per_page?: unknown;
                sort?: unknown;
                url?: unknown;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description { url, events }, or a list of events */
        requestBody: {
            content: {
                "application/json": unknown;
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            409: components["responses"]["refused.409"];
            413: components["responses"]["refused.413"];
            415: components["responses"]["refused.415"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    getWebhooksById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    deleteWebhooksById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            409: components["responses"]["refused.409"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    getV2Changes: {
        parameters: {
            query?: {
                /** @description A position, or now */
                after?: string;
                limit?: number;
                /** @description Comma-separated */
                types?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: Record<string, never>[];
                        meta: components["schemas"]["shared.meta"];
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    getV2Media: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    postV2Media: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: unknown;
                    };
                };
            };
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            409: components["responses"]["refused.409"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    getV2MediaById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    deleteV2MediaById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            409: components["responses"]["refused.409"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    patchV2MediaById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    alternative_text?: string | null;
                    caption?: string | null;
                    crops?: {
                        alias: string;
                        coordinates?: {
                            x1: number;
                            x2: number;
                            y1: number;
                            y2: number;
                        } | null;
                        height: number;
                        width: number;
                    }[];
                    focal_point?: {
                        left: number;
                        top: number;
                    } | null;
                    folder?: string;
                    name?: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            409: components["responses"]["refused.409"];
            413: components["responses"]["refused.413"];
            415: components["responses"]["refused.415"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    putV2MediaByIdFile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            409: components["responses"]["refused.409"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    getV2MediaByIdRelated: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    getV2MediaFolders: {
        parameters: {
            query?: {
                parent?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    postV2MediaFolders: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    path: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: unknown;
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            409: components["responses"]["refused.409"];
            413: components["responses"]["refused.413"];
            415: components["responses"]["refused.415"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    getV2MediaFoldersById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    deleteV2MediaFoldersById: {
        parameters: {
            query?: {
                recursive?: boolean;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            409: components["responses"]["refused.409"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    patchV2MediaFoldersById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    path: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            409: components["responses"]["refused.409"];
            413: components["responses"]["refused.413"];
            415: components["responses"]["refused.415"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    postOauthIntrospect: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": {
                    /** @description Unless the client uses HTTP Basic */
                    client_id?: string;
                    client_secret?: string;
                    token: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        active: boolean;
                        client_id?: string;
                        exp?: number;
                        scope?: string;
                        token_type?: string;
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            409: components["responses"]["refused.409"];
            413: components["responses"]["refused.413"];
            415: components["responses"]["refused.415"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    postOauthRevoke: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": {
                    /** @description Unless the client uses HTTP Basic */
                    client_id?: string;
                    client_secret?: string;
                    token: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            409: components["responses"]["refused.409"];
            413: components["responses"]["refused.413"];
            415: components["responses"]["refused.415"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    postOauthToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": {
                    /** @description Unless the client uses HTTP Basic */
                    client_id?: string;
                    client_secret?: string;
                    /** @constant */
                    grant_type: "client_credentials";
                    /** @description Separated by spaces; all scopes of the client when left out */
                    scope?: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        access_token: string;
                        expires_in: number;
                        scope: string;
                        /** @constant */
                        token_type: "Bearer";
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            409: components["responses"]["refused.409"];
            413: components["responses"]["refused.413"];
            415: components["responses"]["refused.415"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    getWebhooksDeliveries: {
        parameters: {
            query?: {
                after_id?: unknown;
                before_id?: unknown;
                consumer_id?: unknown;
                count?: unknown;
                created_after?: unknown;
                created_before?: unknown;
                event_id?: unknown;
                event_type?: unknown;
                include?: unknown;
                is_test?: unknown;
                limit?: unknown;
                order?: unknown;
                page?: unknown;
                per_page?: unknown;
                sort?: unknown;
                status?: unknown;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            attempt_count: number;
                            attempts?: {
                                [key: string]: unknown;
                            }[];
                            /** Format: date-time */
                            completed_at: string | null;
                            /** Format: date-time */
                            created_at: string;
                            event_id: string;
                            event_type: string;
                            /** Format: uuid */
                            id: string;
                            is_test: boolean;
                            last_error: {
                                [key: string]: unknown;
                            } | null;
                            last_status_code: number | null;
                            /** Format: date-time */
                            next_attempt_at: string | null;
                            payload?: unknown;
                            sequence: number | null;
                            /** @enum {unknown} */
                            status: "pending" | "succeeded" | "failed" | "held" | "cancelled";
                            /** Format: uuid */
                            subscription_id: string;
                        }[];
                        meta: {
                            [key: string]: unknown;
                        };
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    getWebhooksEventTypes: {
        parameters: {
            query?: {
                after_id?: unknown;
                before_id?: unknown;
                consumer_id?: unknown;
                count?: unknown;
                include_inactive?: unknown;
                limit?: unknown;
                order?: unknown;
                page?: unknown;
                per_page?: unknown;
                sort?: unknown;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            built_in: boolean;
                            description: string | null;
                            example_payload: unknown;
                            is_active: boolean;
                            name: string;
                            schema: unknown;
                            /** @enum {unknown} */
                            visibility: "all" | "owner" | "staff" | "live";
                        }[];
                        meta: {
                            [key: string]: unknown;
                        };
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    postWebhooksEventTypes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    description?: string | null;
                    example_payload?: unknown;
                    is_active?: boolean;
                    name: string;
                    /** @description JSON Schema that published payloads must fit; references only within it */
                    schema?: Record<string, never> | null;
                    /** @enum {unknown} */
                    visibility?: "all" | "owner" | "staff" | "live";
                };
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        built_in: boolean;
                        description: string | null;
                        example_payload: unknown;
                        is_active: boolean;
                        name: string;
                        schema: unknown;
                        /** @enum {unknown} */
                        visibility: "all" | "owner" | "staff" | "live";
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            409: components["responses"]["refused.409"];
            413: components["responses"]["refused.413"];
            415: components["responses"]["refused.415"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    getWebhooksEventTypesByName: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        built_in: boolean;
                        description: string | null;
                        example_payload: unknown;
                        is_active: boolean;
                        name: string;
                        schema: unknown;
                        /** @enum {unknown} */
                        visibility: "all" | "owner" | "staff" | "live";
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    deleteWebhooksEventTypesByName: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            409: components["responses"]["refused.409"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    patchWebhooksEventTypesByName: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    description?: string | null;
                    example_payload?: unknown;
                    is_active?: boolean;
                    name?: string;
                    /** @description JSON Schema that published payloads must fit; references only within it */
                    schema?: Record<string, never> | null;
                    /** @enum {unknown} */
                    visibility?: "all" | "owner" | "staff" | "live";
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        built_in: boolean;
                        description: string | null;
                        example_payload: unknown;
                        is_active: boolean;
                        name: string;
                        schema: unknown;
                        /** @enum {unknown} */
                        visibility: "all" | "owner" | "staff" | "live";
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            409: components["responses"]["refused.409"];
            413: components["responses"]["refused.413"];
            415: components["responses"]["refused.415"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    getWebhooksEvents: {
        parameters: {
            query?: {
                after_id?: unknown;
                before_id?: unknown;
                consumer_id?: unknown;
                count?: unknown;
                created_after?: unknown;
                created_before?: unknown;
                event_type?: unknown;
                limit?: unknown;
                order?: unknown;
                page?: unknown;
                per_page?: unknown;
                sort?: unknown;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            consumer_id: string | null;
                            /** Format: date-time */
                            created_at: string;
                            deliveries: {
                                [key: string]: unknown;
                            };
                            event_type: string;
                            id: string;
                            /** Format: date-time */
                            occurred_at: string;
                            payload: {
                                [key: string]: unknown;
                            };
                        }[];
                        meta: {
                            [key: string]: unknown;
                        };
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    postWebhooksEvents: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    consumer_id?: string | null;
                    event_type: string;
                    /** Format: date-time */
                    occurred_at?: string | null;
                    payload: {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: date-time */
                        created_at: string;
                        event_type: string;
                        id: string;
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            409: components["responses"]["refused.409"];
            413: components["responses"]["refused.413"];
            415: components["responses"]["refused.415"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    getWebhooksEventsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        consumer_id: string | null;
                        /** Format: date-time */
                        created_at: string;
                        deliveries: {
                            [key: string]: unknown;
                        };
                        event_type: string;
                        id: string;
                        /** Format: date-time */
                        occurred_at: string;
                        payload: {
                            [key: string]: unknown;
                        };
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    postWebhooksEventsBatch: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    events: {
                        consumer_id?: string | null;
                        event_type: string;
                        /** Format: date-time */
                        occurred_at?: string | null;
                        payload: {
                            [key: string]: unknown;
                        };
                    }[];
                };
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            /** Format: date-time */
                            created_at: string;
                            event_type: string;
                            id: string;
                        }[];
                        meta: {
                            total: number;
                        };
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            409: components["responses"]["refused.409"];
            413: components["responses"]["refused.413"];
            415: components["responses"]["refused.415"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    getWebhooksNotifications: {
        parameters: {
            query?: {
                after_id?: unknown;
                before_id?: unknown;
                consumer_id?: unknown;
                count?: unknown;
                limit?: unknown;
                order?: unknown;
                page?: unknown;
                per_page?: unknown;
                sort?: unknown;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            [key: string]: unknown;
                        }[];
                        meta: {
                            [key: string]: unknown;
                        };
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    postWebhooksNotificationsByIdRead: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            409: components["responses"]["refused.409"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    getWebhooksStream: {
        parameters: {
            query?: {
                events?: unknown;
                last_event_id?: unknown;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    getWebhooksSubscriptions: {
        parameters: {
            query?: {
                after_id?: unknown;
                before_id?: unknown;
                consumer_id?: unknown;
                count?: unknown;
                created_after?: unknown;
                endpoint_url?: unknown;
                event?: unknown;
                is_active?: unknown;
                limit?: unknown;
                order?: unknown;
                page?: unknown;
                per_page?: unknown;
                sort?: unknown;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            auto_resume: boolean;
                            /** Format: uuid */
                            consumer_id: string;
                            /** Format: date-time */
                            created_at: string;
                            description: string | null;
                            /** Format: date-time */
                            disabled_at: string | null;
                            disabled_reason: string | null;
                            endpoint_url: string;
                            event_patterns: string[];
                            events: string[];
                            failure_count: number;
                            filter: unknown[] | null;
                            headers: {
                                [key: string]: unknown;
                            };
                            /** Format: uuid */
                            id: string;
                            include_entry: boolean;
                            is_active: boolean;
                            /** Format: date-time */
                            last_delivery_at: string | null;
                            last_probe: {
                                [key: string]: unknown;
                            } | null;
                            max_per_second: number | null;
                            ordered: boolean;
                            /** Format: date-time */
                            secret_rotated_at: string | null;
                            source: string;
                            timeout_seconds: number;
                            /** Format: date-time */
                            updated_at: string;
                        }[];
                        meta: {
                            [key: string]: unknown;
                        };
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    postWebhooksSubscriptions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description try a disabled endpoint again and go on when it answers */
                    auto_resume?: boolean;
                    description?: string | null;
                    /** @description absolute http or https URL */
                    endpoint_url: string;
                    /** @description names in which * stands for one or more segments: order.*, *.published */
                    event_patterns?: string[];
                    /** @description names, or *; required unless event_patterns says what is subscribed to */
                    events?: string[];
                    /** @description conditions on the data of an event; it is delivered when all of them hold */
                    filter?: {
                        /** @enum {unknown} */
                        op: "eq" | "ne" | "in" | "nin" | "gt" | "gte" | "lt" | "lte" | "exists" | "contains" | "starts_with";
                        /** @description member of the data: customer.address.city */
                        path: string;
                        value: unknown;
                    }[] | null;
                    headers?: {
                        [key: string]: unknown;
                    };
                    /** @description content events carry the entry as data.entry */
                    include_entry?: boolean;
                    is_active?: boolean;
                    /** @description requests at most, evenly spaced */
                    max_per_second?: number | null;
                    /** @description one delivery at a time, each after the former one is final */
                    ordered?: boolean;
                    secret?: string;
                    timeout_seconds?: number;
                };
            };
        };
        responses: {
            /** @description Default Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: date-time */
                        created_at: string;
                        endpoint_url: string;
                        event_patterns?: string[];
                        events: string[];
                        /** Format: uuid */
                        id: string;
                        secret: string;
                        test_sent: boolean;
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            409: components["responses"]["refused.409"];
            413: components["responses"]["refused.413"];
            415: components["responses"]["refused.415"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    getWebhooksSubscriptionsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        auto_resume: boolean;
                        /** Format: uuid */
                        consumer_id: string;
                        /** Format: date-time */
                        created_at: string;
                        description: string | null;
                        /** Format: date-time */
                        disabled_at: string | null;
                        disabled_reason: string | null;
                        endpoint_url: string;
                        event_patterns: string[];
                        events: string[];
                        failure_count: number;
                        filter: unknown[] | null;
                        headers: {
                            [key: string]: unknown;
                        };
                        /** Format: uuid */
                        id: string;
                        include_entry: boolean;
                        is_active: boolean;
                        /** Format: date-time */
                        last_delivery_at: string | null;
                        last_probe: {
                            [key: string]: unknown;
                        } | null;
                        max_per_second: number | null;
                        ordered: boolean;
                        /** Format: date-time */
                        secret_rotated_at: string | null;
                        source: string;
                        timeout_seconds: number;
                        /** Format: date-time */
                        updated_at: string;
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    deleteWebhooksSubscriptionsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            409: components["responses"]["refused.409"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    patchWebhooksSubscriptionsById: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description try a disabled endpoint again and go on when it answers */
                    auto_resume?: boolean;
                    description?: string | null;
                    /** @description absolute http or https URL */
                    endpoint_url?: string;
                    /** @description names in which * stands for one or more segments: order.*, *.published */
                    event_patterns?: string[];
                    /** @description names, or *; required unless event_patterns says what is subscribed to */
                    events?: string[];
                    /** @description conditions on the data of an event; it is delivered when all of them hold */
                    filter?: {
                        /** @enum {unknown} */
                        op: "eq" | "ne" | "in" | "nin" | "gt" | "gte" | "lt" | "lte" | "exists" | "contains" | "starts_with";
                        /** @description member of the data: customer.address.city */
                        path: string;
                        value: unknown;
                    }[] | null;
                    headers?: {
                        [key: string]: unknown;
                    };
                    /** @enum {unknown} */
                    held_deliveries?: "release" | "discard";
                    /** @description content events carry the entry as data.entry */
                    include_entry?: boolean;
                    is_active?: boolean;
                    /** @description requests at most, evenly spaced */
                    max_per_second?: number | null;
                    /** @description one delivery at a time, each after the former one is final */
                    ordered?: boolean;
                    timeout_seconds?: number;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        auto_resume: boolean;
                        /** Format: uuid */
                        consumer_id: string;
                        /** Format: date-time */
                        created_at: string;
                        description: string | null;
                        /** Format: date-time */
                        disabled_at: string | null;
                        disabled_reason: string | null;
                        endpoint_url: string;
                        event_patterns: string[];
                        events: string[];
                        failure_count: number;
                        filter: unknown[] | null;
                        headers: {
                            [key: string]: unknown;
                        };
                        /** Format: uuid */
                        id: string;
                        include_entry: boolean;
                        is_active: boolean;
                        /** Format: date-time */
                        last_delivery_at: string | null;
                        last_probe: {
                            [key: string]: unknown;
                        } | null;
                        max_per_second: number | null;
                        ordered: boolean;
                        /** Format: date-time */
                        secret_rotated_at: string | null;
                        source: string;
                        timeout_seconds: number;
                        /** Format: date-time */
                        updated_at: string;
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            409: components["responses"]["refused.409"];
            413: components["responses"]["refused.413"];
            415: components["responses"]["refused.415"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    getWebhooksSubscriptionsByIdDeliveries: {
        parameters: {
            query?: {
                after_id?: unknown;
                before_id?: unknown;
                consumer_id?: unknown;
                count?: unknown;
                created_after?: unknown;
                created_before?: unknown;
                event_type?: unknown;
                include?: unknown;
                is_test?: unknown;
                limit?: unknown;
                order?: unknown;
                page?: unknown;
                per_page?: unknown;
                sort?: unknown;
                status?: unknown;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            attempt_count: number;
                            attempts?: {
                                [key: string]: unknown;
                            }[];
                            /** Format: date-time */
                            completed_at: string | null;
                            /** Format: date-time */
                            created_at: string;
                            event_id: string;
                            event_type: string;
                            /** Format: uuid */
                            id: string;
                            is_test: boolean;
                            last_error: {
                                [key: string]: unknown;
                            } | null;
                            last_status_code: number | null;
                            /** Format: date-time */
                            next_attempt_at: string | null;
                            payload?: unknown;
                            sequence: number | null;
                            /** @enum {unknown} */
                            status: "pending" | "succeeded" | "failed" | "held" | "cancelled";
                            /** Format: uuid */
                            subscription_id: string;
                        }[];
                        meta: {
                            [key: string]: unknown;
                        };
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    getWebhooksSubscriptionsByIdDeliveriesByDeliveryId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                delivery_id: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        attempt_count: number;
                        attempts?: {
                            [key: string]: unknown;
                        }[];
                        /** Format: date-time */
                        completed_at: string | null;
                        /** Format: date-time */
                        created_at: string;
                        event_id: string;
                        event_type: string;
                        /** Format: uuid */
                        id: string;
                        is_test: boolean;
                        last_error: {
                            [key: string]: unknown;
                        } | null;
                        last_status_code: number | null;
                        /** Format: date-time */
                        next_attempt_at: string | null;
                        payload?: unknown;
                        sequence: number | null;
                        /** @enum {unknown} */
                        status: "pending" | "succeeded" | "failed" | "held" | "cancelled";
                        /** Format: uuid */
                        subscription_id: string;
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    postWebhooksSubscriptionsByIdDeliveriesByDeliveryIdResend: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                delivery_id: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        attempt_count: number;
                        attempts?: {
                            [key: string]: unknown;
                        }[];
                        /** Format: date-time */
                        completed_at: string | null;
                        /** Format: date-time */
                        created_at: string;
                        event_id: string;
                        event_type: string;
                        /** Format: uuid */
                        id: string;
                        is_test: boolean;
                        last_error: {
                            [key: string]: unknown;
                        } | null;
                        last_status_code: number | null;
                        /** Format: date-time */
                        next_attempt_at: string | null;
                        payload?: unknown;
                        sequence: number | null;
                        /** @enum {unknown} */
                        status: "pending" | "succeeded" | "failed" | "held" | "cancelled";
                        /** Format: uuid */
                        subscription_id: string;
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            409: components["responses"]["refused.409"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    postWebhooksSubscriptionsByIdReplay: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    event_types?: unknown[] | null;
                    /** @enum {unknown} */
                    scope?: "failed" | "missed" | "all";
                    /** Format: date-time */
                    since: string;
                    /** Format: date-time */
                    until?: string | null;
                };
            };
        };
        responses: {
            /** @description Default Response */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            409: components["responses"]["refused.409"];
            413: components["responses"]["refused.413"];
            415: components["responses"]["refused.415"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    getWebhooksSubscriptionsByIdReplaysByReplayId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                replay_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    postWebhooksSubscriptionsByIdRotateSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        note: string;
                        secret: string;
                        /** Format: date-time */
                        valid_until: string;
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            409: components["responses"]["refused.409"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    getWebhooksSubscriptionsByIdStats: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        failed: number;
                        held: number;
                        /** Format: date-time */
                        oldest_pending_at: string | null;
                        p50_ms: number | null;
                        p95_ms: number | null;
                        pending: number;
                        succeeded: number;
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    postWebhooksSubscriptionsByIdTest: {
        parameters: {
            query?: {
                after_id?: unknown;
                before_id?: unknown;
                consumer_id?: unknown;
                count?: unknown;
                limit?: unknown;
                order?: unknown;
                page?: unknown;
                per_page?: unknown;
                sort?: unknown;
                wait?: unknown;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    event_type?: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            409: components["responses"]["refused.409"];
            413: components["responses"]["refused.413"];
            415: components["responses"]["refused.415"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    postWebhooksSubscriptionsByIdVerify: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    body: string;
                    headers: {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        matched?: string;
                        reason?: string;
                        valid: boolean;
                    };
                };
            };
            400: components["responses"]["refused.400"];
            401: components["responses"]["refused.401"];
            403: components["responses"]["refused.403"];
            404: components["responses"]["refused.404"];
            409: components["responses"]["refused.409"];
            413: components["responses"]["refused.413"];
            415: components["responses"]["refused.415"];
            422: components["responses"]["refused.422"];
            429: components["responses"]["refused.429"];
            503: components["responses"]["refused.503"];
        };
    };
    "event.bulk.completed": {
        parameters: {
            query?: never;
            header: {
                /** @description the number of the attempt, from 1 */
                "webhook-attempt": string;
                /** @description the id of the delivery */
                "webhook-delivery": string;
                /** @description the type of the event */
                "webhook-event": string;
                /** @description the id of the event; the same on every attempt, to tell repetitions by */
                "webhook-id": string;
                /** @description signatures by the secret of the subscription (Standard Webhooks 1.0) */
                "webhook-signature": string;
                /** @description when this attempt was made, in seconds since 1970 */
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_0197a2c46c1e7b3a9a513f0d7c1e2b44",
                 *       "type": "bulk.completed",
                 *       "timestamp": "2026-05-04T10:20:30.123Z",
                 *       "sequence": 41,
                 *       "data": {
                 *         "bulk_uuid": "0197a2c4-6c1e-7b3a-9a51-3f0d7c1e2b44",
                 *         "operation_count": 3,
                 *         "complete": 2,
                 *         "failed": 1,
                 *         "rejected": 0,
                 *         "started_at": "2026-05-04T10:20:30.123Z",
                 *         "finished_at": "2026-05-04T10:20:31.456Z"
                 *       }
                 *     }
                 */
                "application/json": {
                    data: components["schemas"]["event.bulk.completed"];
                    id: string;
                    /** @description counts the events of a subscription */
                    sequence: number | null;
                    /** Format: date-time */
                    timestamp: string;
                    /** @constant */
                    type: "bulk.completed";
                };
            };
        };
        responses: {
            /** @description The event was received */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Nothing more is wanted: the subscription is disabled */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The attempt failed and is made again later */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "event.key.created": {
        parameters: {
            query?: never;
            header: {
                /** @description the number of the attempt, from 1 */
                "webhook-attempt": string;
                /** @description the id of the delivery */
                "webhook-delivery": string;
                /** @description the type of the event */
                "webhook-event": string;
                /** @description the id of the event; the same on every attempt, to tell repetitions by */
                "webhook-id": string;
                /** @description signatures by the secret of the subscription (Standard Webhooks 1.0) */
                "webhook-signature": string;
                /** @description when this attempt was made, in seconds since 1970 */
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_0197a2c46c1e7b3a9a513f0d7c1e2b44",
                 *       "type": "key.created",
                 *       "timestamp": "2026-05-04T10:20:30.123Z",
                 *       "sequence": 41,
                 *       "data": {
                 *         "key_id": 12,
                 *         "key_prefix": "sk_Ab3dE",
                 *         "name": "Production",
                 *         "plan_id": 1,
                 *         "status": "active",
                 *         "expires_at": null,
                 *         "at": "2026-05-04T10:20:30.123Z"
                 *       }
                 *     }
                 */
                "application/json": {
                    data: components["schemas"]["event.key.created"];
                    id: string;
                    /** @description counts the events of a subscription */
                    sequence: number | null;
                    /** Format: date-time */
                    timestamp: string;
                    /** @constant */
                    type: "key.created";
                };
            };
        };
        responses: {
            /** @description The event was received */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Nothing more is wanted: the subscription is disabled */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The attempt failed and is made again later */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "event.key.expired": {
        parameters: {
            query?: never;
            header: {
                /** @description the number of the attempt, from 1 */
                "webhook-attempt": string;
                /** @description the id of the delivery */
                "webhook-delivery": string;
                /** @description the type of the event */
                "webhook-event": string;
                /** @description the id of the event; the same on every attempt, to tell repetitions by */
                "webhook-id": string;
                /** @description signatures by the secret of the subscription (Standard Webhooks 1.0) */
                "webhook-signature": string;
                /** @description when this attempt was made, in seconds since 1970 */
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_0197a2c46c1e7b3a9a513f0d7c1e2b44",
                 *       "type": "key.expired",
                 *       "timestamp": "2026-05-04T10:20:30.123Z",
                 *       "sequence": 41,
                 *       "data": {
                 *         "key_id": 12,
                 *         "key_prefix": "sk_Ab3dE",
                 *         "name": "Production",
                 *         "plan_id": 1,
                 *         "status": "expired",
                 *         "expires_at": null,
                 *         "at": "2026-05-04T10:20:30.123Z"
                 *       }
                 *     }
                 */
                "application/json": {
                    data: components["schemas"]["event.key.expired"];
                    id: string;
                    /** @description counts the events of a subscription */
                    sequence: number | null;
                    /** Format: date-time */
                    timestamp: string;
                    /** @constant */
                    type: "key.expired";
                };
            };
        };
        responses: {
            /** @description The event was received */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Nothing more is wanted: the subscription is disabled */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The attempt failed and is made again later */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "event.key.revoked": {
        parameters: {
            query?: never;
            header: {
                /** @description the number of the attempt, from 1 */
                "webhook-attempt": string;
                /** @description the id of the delivery */
                "webhook-delivery": string;
                /** @description the type of the event */
                "webhook-event": string;
                /** @description the id of the event; the same on every attempt, to tell repetitions by */
                "webhook-id": string;
                /** @description signatures by the secret of the subscription (Standard Webhooks 1.0) */
                "webhook-signature": string;
                /** @description when this attempt was made, in seconds since 1970 */
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_0197a2c46c1e7b3a9a513f0d7c1e2b44",
                 *       "type": "key.revoked",
                 *       "timestamp": "2026-05-04T10:20:30.123Z",
                 *       "sequence": 41,
                 *       "data": {
                 *         "key_id": 12,
                 *         "key_prefix": "sk_Ab3dE",
                 *         "name": "Production",
                 *         "plan_id": 1,
                 *         "status": "revoked",
                 *         "expires_at": null,
                 *         "at": "2026-05-04T10:20:30.123Z"
                 *       }
                 *     }
                 */
                "application/json": {
                    data: components["schemas"]["event.key.revoked"];
                    id: string;
                    /** @description counts the events of a subscription */
                    sequence: number | null;
                    /** Format: date-time */
                    timestamp: string;
                    /** @constant */
                    type: "key.revoked";
                };
            };
        };
        responses: {
            /** @description The event was received */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Nothing more is wanted: the subscription is disabled */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The attempt failed and is made again later */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "event.key.rotated": {
        parameters: {
            query?: never;
            header: {
                /** @description the number of the attempt, from 1 */
                "webhook-attempt": string;
                /** @description the id of the delivery */
                "webhook-delivery": string;
                /** @description the type of the event */
                "webhook-event": string;
                /** @description the id of the event; the same on every attempt, to tell repetitions by */
                "webhook-id": string;
                /** @description signatures by the secret of the subscription (Standard Webhooks 1.0) */
                "webhook-signature": string;
                /** @description when this attempt was made, in seconds since 1970 */
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_0197a2c46c1e7b3a9a513f0d7c1e2b44",
                 *       "type": "key.rotated",
                 *       "timestamp": "2026-05-04T10:20:30.123Z",
                 *       "sequence": 41,
                 *       "data": {
                 *         "key_id": 12,
                 *         "key_prefix": "sk_Ab3dE",
                 *         "name": "Production",
                 *         "plan_id": 1,
                 *         "status": "active",
                 *         "expires_at": null,
                 *         "at": "2026-05-04T10:20:30.123Z"
                 *       }
                 *     }
                 */
                "application/json": {
                    data: components["schemas"]["event.key.rotated"];
                    id: string;
                    /** @description counts the events of a subscription */
                    sequence: number | null;
                    /** Format: date-time */
                    timestamp: string;
                    /** @constant */
                    type: "key.rotated";
                };
            };
        };
        responses: {
            /** @description The event was received */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Nothing more is wanted: the subscription is disabled */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The attempt failed and is made again later */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "event.order.created": {
        parameters: {
            query?: never;
            header: {
                /** @description the number of the attempt, from 1 */
                "webhook-attempt": string;
                /** @description the id of the delivery */
                "webhook-delivery": string;
                /** @description the type of the event */
                "webhook-event": string;
                /** @description the id of the event; the same on every attempt, to tell repetitions by */
                "webhook-id": string;
                /** @description signatures by the secret of the subscription (Standard Webhooks 1.0) */
                "webhook-signature": string;
                /** @description when this attempt was made, in seconds since 1970 */
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_0197a2c46c1e7b3a9a513f0d7c1e2b44",
                 *       "type": "order.created",
                 *       "timestamp": "2026-05-04T10:20:30.123Z",
                 *       "sequence": 41,
                 *       "data": {
                 *         "id": 7,
                 *         "status": "new",
                 *         "total": 12.5,
                 *         "created_at": "2026-05-04T10:20:30.123Z"
                 *       }
                 *     }
                 */
                "application/json": {
                    data: components["schemas"]["event.order.created"];
                    id: string;
                    /** @description counts the events of a subscription */
                    sequence: number | null;
                    /** Format: date-time */
                    timestamp: string;
                    /** @constant */
                    type: "order.created";
                };
            };
        };
        responses: {
            /** @description The event was received */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Nothing more is wanted: the subscription is disabled */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The attempt failed and is made again later */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "event.order.updated": {
        parameters: {
            query?: never;
            header: {
                /** @description the number of the attempt, from 1 */
                "webhook-attempt": string;
                /** @description the id of the delivery */
                "webhook-delivery": string;
                /** @description the type of the event */
                "webhook-event": string;
                /** @description the id of the event; the same on every attempt, to tell repetitions by */
                "webhook-id": string;
                /** @description signatures by the secret of the subscription (Standard Webhooks 1.0) */
                "webhook-signature": string;
                /** @description when this attempt was made, in seconds since 1970 */
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_0197a2c46c1e7b3a9a513f0d7c1e2b44",
                 *       "type": "order.updated",
                 *       "timestamp": "2026-05-04T10:20:30.123Z",
                 *       "sequence": 41,
                 *       "data": {
                 *         "id": 7,
                 *         "status": "paid",
                 *         "total": 12.5,
                 *         "created_at": "2026-05-04T10:20:30.123Z"
                 *       }
                 *     }
                 */
                "application/json": {
                    data: components["schemas"]["event.order.updated"];
                    id: string;
                    /** @description counts the events of a subscription */
                    sequence: number | null;
                    /** Format: date-time */
                    timestamp: string;
                    /** @constant */
                    type: "order.updated";
                };
            };
        };
        responses: {
            /** @description The event was received */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Nothing more is wanted: the subscription is disabled */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The attempt failed and is made again later */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "event.product_action_notification": {
        parameters: {
            query?: never;
            header: {
                /** @description the number of the attempt, from 1 */
                "webhook-attempt": string;
                /** @description the id of the delivery */
                "webhook-delivery": string;
                /** @description the type of the event */
                "webhook-event": string;
                /** @description the id of the event; the same on every attempt, to tell repetitions by */
                "webhook-id": string;
                /** @description signatures by the secret of the subscription (Standard Webhooks 1.0) */
                "webhook-signature": string;
                /** @description when this attempt was made, in seconds since 1970 */
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_0197a2c46c1e7b3a9a513f0d7c1e2b44",
                 *       "type": "product_action_notification",
                 *       "timestamp": "2026-05-04T10:20:30.123Z",
                 *       "sequence": 41,
                 *       "data": {
                 *         "bulk_uuid": "0197a2c4-6c1e-7b3a-9a51-3f0d7c1e2b44",
                 *         "operation_id": 0,
                 *         "sku": "MUG-1/B",
                 *         "action": "create",
                 *         "status": 1,
                 *         "result": "complete",
                 *         "message": "",
                 *         "error_code": null,
                 *         "product_id": 42,
                 *         "data_hash": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
                 *       }
                 *     }
                 */
                "application/json": {
                    data: components["schemas"]["event.product_action_notification"];
                    id: string;
                    /** @description counts the events of a subscription */
                    sequence: number | null;
                    /** Format: date-time */
                    timestamp: string;
                    /** @constant */
                    type: "product_action_notification";
                };
            };
        };
        responses: {
            /** @description The event was received */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Nothing more is wanted: the subscription is disabled */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The attempt failed and is made again later */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "event.product.created": {
        parameters: {
            query?: never;
            header: {
                /** @description the number of the attempt, from 1 */
                "webhook-attempt": string;
                /** @description the id of the delivery */
                "webhook-delivery": string;
                /** @description the type of the event */
                "webhook-event": string;
                /** @description the id of the event; the same on every attempt, to tell repetitions by */
                "webhook-id": string;
                /** @description signatures by the secret of the subscription (Standard Webhooks 1.0) */
                "webhook-signature": string;
                /** @description when this attempt was made, in seconds since 1970 */
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_0197a2c46c1e7b3a9a513f0d7c1e2b44",
                 *       "type": "product.created",
                 *       "timestamp": "2026-05-04T10:20:30.123Z",
                 *       "sequence": 41,
                 *       "data": {
                 *         "id": 42,
                 *         "sku": "MUG-1",
                 *         "name": "Mug",
                 *         "price": 12.5,
                 *         "status": "published",
                 *         "updated_at": "2026-05-04T10:20:30.123Z",
                 *         "live": true
                 *       }
                 *     }
                 */
                "application/json": {
                    data: components["schemas"]["event.product.created"];
                    id: string;
                    /** @description counts the events of a subscription */
                    sequence: number | null;
                    /** Format: date-time */
                    timestamp: string;
                    /** @constant */
                    type: "product.created";
                };
            };
        };
        responses: {
            /** @description The event was received */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Nothing more is wanted: the subscription is disabled */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The attempt failed and is made again later */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "event.product.deleted": {
        parameters: {
            query?: never;
            header: {
                /** @description the number of the attempt, from 1 */
                "webhook-attempt": string;
                /** @description the id of the delivery */
                "webhook-delivery": string;
                /** @description the type of the event */
                "webhook-event": string;
                /** @description the id of the event; the same on every attempt, to tell repetitions by */
                "webhook-id": string;
                /** @description signatures by the secret of the subscription (Standard Webhooks 1.0) */
                "webhook-signature": string;
                /** @description when this attempt was made, in seconds since 1970 */
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_0197a2c46c1e7b3a9a513f0d7c1e2b44",
                 *       "type": "product.deleted",
                 *       "timestamp": "2026-05-04T10:20:30.123Z",
                 *       "sequence": 41,
                 *       "data": {
                 *         "id": 42,
                 *         "sku": "MUG-1",
                 *         "name": "Mug",
                 *         "price": 12.5,
                 *         "status": "published",
                 *         "updated_at": "2026-05-04T10:20:30.123Z",
                 *         "live": true
                 *       }
                 *     }
                 */
                "application/json": {
                    data: components["schemas"]["event.product.deleted"];
                    id: string;
                    /** @description counts the events of a subscription */
                    sequence: number | null;
                    /** Format: date-time */
                    timestamp: string;
                    /** @constant */
                    type: "product.deleted";
                };
            };
        };
        responses: {
            /** @description The event was received */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Nothing more is wanted: the subscription is disabled */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The attempt failed and is made again later */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "event.product.updated": {
        parameters: {
            query?: never;
            header: {
                /** @description the number of the attempt, from 1 */
                "webhook-attempt": string;
                /** @description the id of the delivery */
                "webhook-delivery": string;
                /** @description the type of the event */
                "webhook-event": string;
                /** @description the id of the event; the same on every attempt, to tell repetitions by */
                "webhook-id": string;
                /** @description signatures by the secret of the subscription (Standard Webhooks 1.0) */
                "webhook-signature": string;
                /** @description when this attempt was made, in seconds since 1970 */
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_0197a2c46c1e7b3a9a513f0d7c1e2b44",
                 *       "type": "product.updated",
                 *       "timestamp": "2026-05-04T10:20:30.123Z",
                 *       "sequence": 41,
                 *       "data": {
                 *         "id": 42,
                 *         "sku": "MUG-1",
                 *         "name": "Mug",
                 *         "price": 12.5,
                 *         "status": "published",
                 *         "updated_at": "2026-05-04T10:20:30.123Z",
                 *         "live": true
                 *       }
                 *     }
                 */
                "application/json": {
                    data: components["schemas"]["event.product.updated"];
                    id: string;
                    /** @description counts the events of a subscription */
                    sequence: number | null;
                    /** Format: date-time */
                    timestamp: string;
                    /** @constant */
                    type: "product.updated";
                };
            };
        };
        responses: {
            /** @description The event was received */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Nothing more is wanted: the subscription is disabled */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The attempt failed and is made again later */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "event.run.completed": {
        parameters: {
            query?: never;
            header: {
                /** @description the number of the attempt, from 1 */
                "webhook-attempt": string;
                /** @description the id of the delivery */
                "webhook-delivery": string;
                /** @description the type of the event */
                "webhook-event": string;
                /** @description the id of the event; the same on every attempt, to tell repetitions by */
                "webhook-id": string;
                /** @description signatures by the secret of the subscription (Standard Webhooks 1.0) */
                "webhook-signature": string;
                /** @description when this attempt was made, in seconds since 1970 */
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_0197a2c46c1e7b3a9a513f0d7c1e2b44",
                 *       "type": "run.completed",
                 *       "timestamp": "2026-05-04T10:20:30.123Z",
                 *       "sequence": 41,
                 *       "data": {
                 *         "run_id": 57,
                 *         "scraper_id": 12,
                 *         "scraper_name": "News",
                 *         "status": "completed",
                 *         "trigger": "schedule",
                 *         "started_at": "2026-05-04T10:20:30.123Z",
                 *         "finished_at": "2026-05-04T10:20:38.246Z",
                 *         "duration_ms": 8123,
                 *         "items_collected": 14,
                 *         "pages_fetched": 20,
                 *         "pages_failed": 1,
                 *         "finish_reason": "exhausted",
                 *         "changes": {
                 *           "new": 10,
                 *           "changed": 2,
                 *           "unchanged": 2,
                 *           "missing": 0
                 *         },
                 *         "error": null
                 *       }
                 *     }
                 */
                "application/json": {
                    data: components["schemas"]["event.run.completed"];
                    id: string;
                    /** @description counts the events of a subscription */
                    sequence: number | null;
                    /** Format: date-time */
                    timestamp: string;
                    /** @constant */
                    type: "run.completed";
                };
            };
        };
        responses: {
            /** @description The event was received */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Nothing more is wanted: the subscription is disabled */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The attempt failed and is made again later */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "event.run.failed": {
        parameters: {
            query?: never;
            header: {
                /** @description the number of the attempt, from 1 */
                "webhook-attempt": string;
                /** @description the id of the delivery */
                "webhook-delivery": string;
                /** @description the type of the event */
                "webhook-event": string;
                /** @description the id of the event; the same on every attempt, to tell repetitions by */
                "webhook-id": string;
                /** @description signatures by the secret of the subscription (Standard Webhooks 1.0) */
                "webhook-signature": string;
                /** @description when this attempt was made, in seconds since 1970 */
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_0197a2c46c1e7b3a9a513f0d7c1e2b44",
                 *       "type": "run.failed",
                 *       "timestamp": "2026-05-04T10:20:30.123Z",
                 *       "sequence": 41,
                 *       "data": {
                 *         "run_id": 57,
                 *         "scraper_id": 12,
                 *         "scraper_name": "News",
                 *         "status": "failed",
                 *         "trigger": "schedule",
                 *         "started_at": "2026-05-04T10:20:30.123Z",
                 *         "finished_at": "2026-05-04T10:20:38.246Z",
                 *         "duration_ms": 8123,
                 *         "items_collected": 14,
                 *         "pages_fetched": 20,
                 *         "pages_failed": 1,
                 *         "finish_reason": "exhausted",
                 *         "changes": {
                 *           "new": 10,
                 *           "changed": 2,
                 *           "unchanged": 2,
                 *           "missing": 0
                 *         },
                 *         "error": {
                 *           "code": "dns_error",
                 *           "message": "The host name could not be resolved"
                 *         }
                 *       }
                 *     }
                 */
                "application/json": {
                    data: components["schemas"]["event.run.failed"];
                    id: string;
                    /** @description counts the events of a subscription */
                    sequence: number | null;
                    /** Format: date-time */
                    timestamp: string;
                    /** @constant */
                    type: "run.failed";
                };
            };
        };
        responses: {
            /** @description The event was received */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Nothing more is wanted: the subscription is disabled */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The attempt failed and is made again later */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "event.run.started": {
        parameters: {
            query?: never;
            header: {
                /** @description the number of the attempt, from 1 */
                "webhook-attempt": string;
                /** @description the id of the delivery */
                "webhook-delivery": string;
                /** @description the type of the event */
                "webhook-event": string;
                /** @description the id of the event; the same on every attempt, to tell repetitions by */
                "webhook-id": string;
                /** @description signatures by the secret of the subscription (Standard Webhooks 1.0) */
                "webhook-signature": string;
                /** @description when this attempt was made, in seconds since 1970 */
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_0197a2c46c1e7b3a9a513f0d7c1e2b44",
                 *       "type": "run.started",
                 *       "timestamp": "2026-05-04T10:20:30.123Z",
                 *       "sequence": 41,
                 *       "data": {
                 *         "run_id": 57,
                 *         "scraper_id": 12,
                 *         "scraper_name": "News",
                 *         "status": "running",
                 *         "trigger": "schedule",
                 *         "started_at": "2026-05-04T10:20:30.123Z",
                 *         "finished_at": null,
                 *         "duration_ms": null,
                 *         "items_collected": 0,
                 *         "pages_fetched": 20,
                 *         "pages_failed": 1,
                 *         "finish_reason": "exhausted",
                 *         "changes": {
                 *           "new": 10,
                 *           "changed": 2,
                 *           "unchanged": 2,
                 *           "missing": 0
                 *         },
                 *         "error": null
                 *       }
                 *     }
                 */
                "application/json": {
                    data: components["schemas"]["event.run.started"];
                    id: string;
                    /** @description counts the events of a subscription */
                    sequence: number | null;
                    /** Format: date-time */
                    timestamp: string;
                    /** @constant */
                    type: "run.started";
                };
            };
        };
        responses: {
            /** @description The event was received */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Nothing more is wanted: the subscription is disabled */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The attempt failed and is made again later */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "event.run.stopped": {
        parameters: {
            query?: never;
            header: {
                /** @description the number of the attempt, from 1 */
                "webhook-attempt": string;
                /** @description the id of the delivery */
                "webhook-delivery": string;
                /** @description the type of the event */
                "webhook-event": string;
                /** @description the id of the event; the same on every attempt, to tell repetitions by */
                "webhook-id": string;
                /** @description signatures by the secret of the subscription (Standard Webhooks 1.0) */
                "webhook-signature": string;
                /** @description when this attempt was made, in seconds since 1970 */
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_0197a2c46c1e7b3a9a513f0d7c1e2b44",
                 *       "type": "run.stopped",
                 *       "timestamp": "2026-05-04T10:20:30.123Z",
                 *       "sequence": 41,
                 *       "data": {
                 *         "run_id": 57,
                 *         "scraper_id": 12,
                 *         "scraper_name": "News",
                 *         "status": "stopped",
                 *         "trigger": "schedule",
                 *         "started_at": "2026-05-04T10:20:30.123Z",
                 *         "finished_at": "2026-05-04T10:20:38.246Z",
                 *         "duration_ms": 8123,
                 *         "items_collected": 14,
                 *         "pages_fetched": 20,
                 *         "pages_failed": 1,
                 *         "finish_reason": "exhausted",
                 *         "changes": {
                 *           "new": 10,
                 *           "changed": 2,
                 *           "unchanged": 2,
                 *           "missing": 0
                 *         },
                 *         "error": null
                 *       }
                 *     }
                 */
                "application/json": {
                    data: components["schemas"]["event.run.stopped"];
                    id: string;
                    /** @description counts the events of a subscription */
                    sequence: number | null;
                    /** Format: date-time */
                    timestamp: string;
                    /** @constant */
                    type: "run.stopped";
                };
            };
        };
        responses: {
            /** @description The event was received */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Nothing more is wanted: the subscription is disabled */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The attempt failed and is made again later */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "event.stock.updated": {
        parameters: {
            query?: never;
            header: {
                /** @description the number of the attempt, from 1 */
                "webhook-attempt": string;
                /** @description the id of the delivery */
                "webhook-delivery": string;
                /** @description the type of the event */
                "webhook-event": string;
                /** @description the id of the event; the same on every attempt, to tell repetitions by */
                "webhook-id": string;
                /** @description signatures by the secret of the subscription (Standard Webhooks 1.0) */
                "webhook-signature": string;
                /** @description when this attempt was made, in seconds since 1970 */
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_0197a2c46c1e7b3a9a513f0d7c1e2b44",
                 *       "type": "stock.updated",
                 *       "timestamp": "2026-05-04T10:20:30.123Z",
                 *       "sequence": 41,
                 *       "data": {
                 *         "sku": "MUG-1",
                 *         "stock": 3,
                 *         "available": true,
                 *         "previous_stock": 4,
                 *         "live": true
                 *       }
                 *     }
                 */
                "application/json": {
                    data: components["schemas"]["event.stock.updated"];
                    id: string;
                    /** @description counts the events of a subscription */
                    sequence: number | null;
                    /** Format: date-time */
                    timestamp: string;
                    /** @constant */
                    type: "stock.updated";
                };
            };
        };
        responses: {
            /** @description The event was received */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Nothing more is wanted: the subscription is disabled */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The attempt failed and is made again later */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "event.usage.threshold": {
        parameters: {
            query?: never;
            header: {
                /** @description the number of the attempt, from 1 */
                "webhook-attempt": string;
                /** @description the id of the delivery */
                "webhook-delivery": string;
                /** @description the type of the event */
                "webhook-event": string;
                /** @description the id of the event; the same on every attempt, to tell repetitions by */
                "webhook-id": string;
                /** @description signatures by the secret of the subscription (Standard Webhooks 1.0) */
                "webhook-signature": string;
                /** @description when this attempt was made, in seconds since 1970 */
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_0197a2c46c1e7b3a9a513f0d7c1e2b44",
                 *       "type": "usage.threshold",
                 *       "timestamp": "2026-05-04T10:20:30.123Z",
                 *       "sequence": 41,
                 *       "data": {
                 *         "key_id": 12,
                 *         "window": "month",
                 *         "percent": 80,
                 *         "used": 8000,
                 *         "limit": 10000,
                 *         "at": "2026-05-04T10:20:30.123Z"
                 *       }
                 *     }
                 */
                "application/json": {
                    data: components["schemas"]["event.usage.threshold"];
                    id: string;
                    /** @description counts the events of a subscription */
                    sequence: number | null;
                    /** Format: date-time */
                    timestamp: string;
                    /** @constant */
                    type: "usage.threshold";
                };
            };
        };
        responses: {
            /** @description The event was received */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Nothing more is wanted: the subscription is disabled */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The attempt failed and is made again later */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "event.webhook.subscription.disabled": {
        parameters: {
            query?: never;
            header: {
                /** @description the number of the attempt, from 1 */
                "webhook-attempt": string;
                /** @description the id of the delivery */
                "webhook-delivery": string;
                /** @description the type of the event */
                "webhook-event": string;
                /** @description the id of the event; the same on every attempt, to tell repetitions by */
                "webhook-id": string;
                /** @description signatures by the secret of the subscription (Standard Webhooks 1.0) */
                "webhook-signature": string;
                /** @description when this attempt was made, in seconds since 1970 */
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_0197a2c46c1e7b3a9a513f0d7c1e2b44",
                 *       "type": "webhook.subscription.disabled",
                 *       "timestamp": "2026-05-04T10:20:30.123Z",
                 *       "sequence": 41,
                 *       "data": {
                 *         "subscription_id": "0197a2c4-6c1e-7b3a-9a51-3f0d7c1e2b44",
                 *         "endpoint_url": "https://shop.example/hooks",
                 *         "failure_count": 100,
                 *         "disabled_at": "2026-05-04T10:20:30.123Z",
                 *         "reason": "failures",
                 *         "last_error": {
                 *           "code": "http_status",
                 *           "message": "Answered 500"
                 *         }
                 *       }
                 *     }
                 */
                "application/json": {
                    data: components["schemas"]["event.webhook.subscription.disabled"];
                    id: string;
                    /** @description counts the events of a subscription */
                    sequence: number | null;
                    /** Format: date-time */
                    timestamp: string;
                    /** @constant */
                    type: "webhook.subscription.disabled";
                };
            };
        };
        responses: {
            /** @description The event was received */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Nothing more is wanted: the subscription is disabled */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The attempt failed and is made again later */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "event.webhook.subscription.failing": {
        parameters: {
            query?: never;
            header: {
                /** @description the number of the attempt, from 1 */
                "webhook-attempt": string;
                /** @description the id of the delivery */
                "webhook-delivery": string;
                /** @description the type of the event */
                "webhook-event": string;
                /** @description the id of the event; the same on every attempt, to tell repetitions by */
                "webhook-id": string;
                /** @description signatures by the secret of the subscription (Standard Webhooks 1.0) */
                "webhook-signature": string;
                /** @description when this attempt was made, in seconds since 1970 */
                "webhook-timestamp": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "evt_0197a2c46c1e7b3a9a513f0d7c1e2b44",
                 *       "type": "webhook.subscription.failing",
                 *       "timestamp": "2026-05-04T10:20:30.123Z",
                 *       "sequence": 41,
                 *       "data": {
                 *         "subscription_id": "0197a2c4-6c1e-7b3a-9a51-3f0d7c1e2b44",
                 *         "endpoint_url": "https://shop.example/hooks",
                 *         "failure_count": 50,
                 *         "disabled_at": null,
                 *         "reason": null,
                 *         "last_error": {
                 *           "code": "http_status",
                 *           "message": "Answered 500"
                 *         }
                 *       }
                 *     }
                 */
                "application/json": {
                    data: components["schemas"]["event.webhook.subscription.failing"];
                    id: string;
                    /** @description counts the events of a subscription */
                    sequence: number | null;
                    /** Format: date-time */
                    timestamp: string;
                    /** @constant */
                    type: "webhook.subscription.failing";
                };
            };
        };
        responses: {
            /** @description The event was received */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Nothing more is wanted: the subscription is disabled */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The attempt failed and is made again later */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
