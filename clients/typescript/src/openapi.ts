// Made from schema/openapi.yaml by `npm run types` of this package.

export interface paths {
    "/pets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List all animals
         * @description Returns a page of animals by ascending `id`: all animals, or those that match every filter.
         *
         *     While there are more, the `Link` header names the next page: `<…>; rel="next"`. Follow it unchanged until a response
         *     has none. You get each animal that was added before you read the first page once. Ids say nothing about time: several
         *     gateways assign them side by side, so an animal that is added later can have a lower `id`, and pages that you
         *     have already read do not show it. To follow new animals, use `petsConnection(orderBy: newest)` over GraphQL.
         *     A parameter that is unknown, repeated or out of range is an error; the gateway never adjusts it.
         *
         *     Beta: the parameters `categoryId` and `mine`, and the header `X-Next-Cursor`. With several filters, a page can
         *     have fewer animals than `limit`, even none, while `Link` names a next page: the gateway examines at most 2,000 animals
         *     one by one for a page.
         */
        get: operations["listPets"];
        put?: never;
        /**
         * Add an animal
         * @description Adds an animal and returns it with its new `id`.
         *
         *     An `Idempotency-Key` makes retries safe: within 24 hours, a request with the same key and the same body returns the
         *     response of the first request (`Idempotency-Replayed: true`) and adds nothing.
         */
        post: operations["createPet"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pets/{petId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an animal
         * @deprecated
         * @description **Deprecated: removed on 5 December 2030.** Use GET /v1/pets with a status filter, or petsByIds over GraphQL. From 2030-12-05T00:00:00Z on, every request gets 410 `operation_removed`. Until then, every response of the operation announces the removal in the headers `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and `Link`.
         *
         *     If you know the identifiers and want only these animals, use GraphQL:
         *     `petsByIds(ids: [1, 2]) { id name categoryId status }`, up to 100 at once.
         */
        get: operations["getPet"];
        put?: never;
        post?: never;
        /**
         * Remove an animal
         * @description **Beta.** It may still change. Changes are announced 90 days in advance.
         *
         *     Removes an animal. Keys of its project can remove it, and admin keys. `If-Match` makes the removal conditional, in one
         *     step with it. An `Idempotency-Key` makes retries safe: they return 204 again instead of 404.
         */
        delete: operations["deletePet"];
        options?: never;
        head?: never;
        /**
         * Change an animal
         * @description **Beta.** It may still change. Changes are announced 90 days in advance.
         *
         *     Changes the fields that the body names; the others stay. The body is a JSON Merge Patch (RFC 7396). Keys of the
         *     animal's project can change it, and admin keys.
         *
         *     `If-Match` with the `ETag` of an earlier response makes the change conditional. The check and the change are one
         *     step: of two clients that reserve an animal at the same moment, one gets 200 and the other 412.
         *
         *     An `Idempotency-Key` makes retries safe: within 24 hours, a request with the same key, animal, `If-Match` and body
         *     returns the response of the first request (`Idempotency-Replayed: true`) and changes nothing.
         */
        patch: operations["updatePet"];
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Error: {
            /**
             * @description Machine-readable error code, the same over REST and GraphQL. Releases add codes: treat a code that you do not know by its status. ErrorCode has the codes of this release.
             * @example rate_limit_exceeded
             */
            code: string;
            details?: components["schemas"]["ErrorDetails"];
            /**
             * Format: uri-reference
             * @description The page that explains the error code. It begins with the gateway's public address, or else, if the host of the request is localhost or a loopback address, with that. Otherwise it is relative, and so it is without a public address if the gateway could not read the request (431, 408, and 400 for invalid HTTP).
             */
            docUrl?: string;
            /** @description Human-readable description. */
            message: string;
            /** @description The X-Request-Id of this response. */
            requestId?: string;
            /** @description When to retry, in whole seconds. The same number as in `Retry-After`, in every response with that header. */
            retryAfterSeconds?: number;
            /** @description The HTTP status code. */
            status: number;
        };
        /**
         * @description The error codes of this release, as constants for generated clients. No response is limited to them: `Error.code` is a string.
         * @enum {string}
         */
        ErrorCode: "invalid_request" | "query_too_costly" | "missing_api_key" | "invalid_api_key" | "forbidden" | "plan_required" | "pet_not_found" | "not_found" | "method_not_allowed" | "not_acceptable" | "request_timeout" | "conflict" | "idempotency_in_progress" | "operation_removed" | "precondition_failed" | "payload_too_large" | "unsupported_media_type" | "misdirected_request" | "idempotency_mismatch" | "rate_limit_exceeded" | "key_banned" | "request_headers_too_large" | "internal_error" | "service_unavailable";
        /** @description Details of the error. Which members are present depends on the error code. More members may be added. */
        ErrorDetails: {
            /** @description Origins that the browser key allows. */
            allowedOrigins?: string[];
            /**
             * Format: int64
             * @description Its current category.
             */
            categoryId?: bigint;
            /** @description The cost that the request would have had. */
            cost?: number;
            /** @description Each invalid field or parameter. */
            fields?: {
                field: string;
                message: string;
            }[];
            /** @description The limit of that window. */
            limit?: number;
            /** @description The current name of an animal that does not meet the precondition. */
            name?: string;
            /** @description The origin of the request if the browser key does not allow it. */
            origin?: string;
            /** @description What is left of that limit. */
            remaining?: number;
            /**
             * Format: date-time
             * @description When that window resets.
             */
            resetAt?: string;
            /** @description The role that does not allow the operation. */
            role?: string;
            /** @description Its current status. */
            status?: string;
            /** @description How many more strikes ban the key. Given only while the key gets strikes. */
            strikesLeft?: number;
            /**
             * Format: date-time
             * @description When the ban of the key ends.
             */
            until?: string;
            /** @description The window whose limit was reached: minute, day, client, or anonymous for requests without a valid key. */
            window?: string;
        };
        /** @description An animal to add. */
        NewPet: {
            /**
             * Format: int64
             * @description Identifier of the category the animal belongs to.
             * @example 7
             */
            categoryId: bigint;
            /**
             * @description The animal's name, stored and returned exactly as sent. At most 255 characters (code points). It must not be only white space, and must not contain NUL or lone surrogates.
             * @example Rex
             */
            name: string;
            /** @default available */
            status?: components["schemas"]["PetStatus"];
        };
        /** @description An animal as returned. */
        Pet: {
            /**
             * Format: int64
             * @description Identifier of the category the animal belongs to.
             * @example 7
             */
            categoryId: bigint;
            /**
             * Format: int64
             * @description Unique identifier assigned by the service on creation.
             * @example 1
             */
            id: bigint;
            /**
             * @description The animal's name.
             * @example Rex
             */
            name: string;
            status: components["schemas"]["PetStatus"];
        };
        /** @description The fields of an animal to change, as a JSON Merge Patch (RFC 7396). The others stay. No field can be null. */
        PetPatch: {
            /**
             * Format: int64
             * @description Identifier of the animal's new category.
             * @example 7
             */
            categoryId?: bigint;
            /**
             * @description The animal's new name, as in NewPet.
             * @example Rex
             */
            name?: string;
            status?: components["schemas"]["PetStatus"];
        };
        /** @description Animals by ascending id. */
        Pets: components["schemas"]["Pet"][];
        /**
         * @description Availability of an animal.
         * @enum {string}
         */
        PetStatus: "available" | "pending" | "sold";
    };
    responses: {
        /** @description `forbidden`: the role of this key does not allow the operation. */
        Forbidden: {
            headers: {
                "Cache-Control": components["headers"]["Cache-Control"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                Vary: components["headers"]["Vary"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `internal_error`: the gateway failed. Quote `requestId` when you report the error. */
        InternalError: {
            headers: {
                "Cache-Control": components["headers"]["Cache-Control"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                Vary: components["headers"]["Vary"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `not_acceptable`: the Accept header excludes application/json. */
        NotAcceptable: {
            headers: {
                "Cache-Control": components["headers"]["Cache-Control"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                Vary: components["headers"]["Vary"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `operation_removed`: the operation has been removed. */
        OperationRemoved: {
            headers: {
                "Cache-Control": components["headers"]["Cache-Control"];
                Deprecation: components["headers"]["Deprecation"];
                Link: components["headers"]["LinkOfDeprecated"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                Sunset: components["headers"]["Sunset"];
                Vary: components["headers"]["Vary"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `request_headers_too_large`: the request line and headers are larger than 16 KiB. The gateway closes the connection. */
        RequestHeadersTooLarge: {
            headers: {
                "Cache-Control": components["headers"]["Cache-Control"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                Vary: components["headers"]["Vary"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `request_timeout`: the whole request did not arrive within 30 seconds. The gateway closes the connection. */
        RequestTimeout: {
            headers: {
                "Cache-Control": components["headers"]["Cache-Control"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                Vary: components["headers"]["Vary"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `service_unavailable`: a database does not respond. Retry after `Retry-After`. This error never means that the key is invalid. */
        ServiceUnavailable: {
            headers: {
                "Cache-Control": components["headers"]["Cache-Control"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                Vary: components["headers"]["Vary"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `rate_limit_exceeded`: a limit of the plan is used up; `details` names the window. The gateway did nothing and charged nothing: wait for `Retry-After`, then continue. Clients that keep sending requests before then can get their key banned temporarily (`key_banned`). */
        TooManyRequests: {
            headers: {
                "Cache-Control": components["headers"]["NoStore"];
                RateLimit: components["headers"]["RateLimitOfUsedUp"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                Vary: components["headers"]["Vary"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["NoneRemaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `missing_api_key` or `invalid_api_key`: the API key is missing, mistyped, expired or revoked. The rate limit headers then describe the allowance of your IP address (for IPv6, of its /64 network), never that of a key. */
        Unauthorized: {
            headers: {
                "Cache-Control": components["headers"]["Cache-Control"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                Vary: components["headers"]["Vary"];
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: {
        /**
         * @description A cursor from the Link or X-Next-Cursor header of an earlier page. The result starts after it. The format of cursors may change.
         * @example cGV0OjIw
         */
        After: string;
        /**
         * @description Only animals of this category, in plain decimal digits.
         * @example 7
         */
        CategoryId: bigint;
        /**
         * @description A text of your own, new for each animal (for example a UUID), bare or in double quotes. It is valid for 24 hours, within your project only.
         * @example d2a1f8c4-7b53-4e0e-9c1a-6e9b1f40a8c3
         */
        IdempotencyKey: string;
        /**
         * @description A text of your own, new for each change (for example a UUID), bare or in double quotes. It is valid for 24 hours, within your project only.
         * @example 4f6c1d0e-93b7-4c59-8a43-5a3f1b0c7d29
         */
        IdempotencyKeyOfChange: string;
        /**
         * @description ETags of the animal, or *. If none of them is its current ETag, the response is 412. Weak ETags match nothing.
         * @example *
         */
        IfMatch: string;
        /**
         * @description The ETags of responses that the client has. If one of them is still current, the response is 304.
         * @example "Nb-cYotcFmsrd4wRL3JF9iljgh5"
         */
        IfNoneMatch: string;
        /**
         * @description Maximum number of animals returned (page size), in plain decimal digits.
         * @example 20
         */
        Limit: number;
        /**
         * @description true: only animals of the key's own project; with an admin key, animals that belong to no project. false: animals of everybody, as without the parameter.
         * @example true
         */
        Mine: boolean;
        /**
         * @description Identifier of the animal, in plain decimal digits. A value that no animal can have, such as abc or 05, returns 404.
         * @example 1
         */
        PetId: bigint;
        /**
         * @description Your own id for this request: 1 to 128 letters, digits, dots, underscores and hyphens. The gateway ignores any other value and assigns an id of its own.
         * @example 0b8f2f4e-5d0a-4c3e-9a86-0a7f5f0f9d11
         */
        RequestId: string;
        /**
         * @description Only animals with this availability status.
         * @example available
         */
        Status: components["schemas"]["PetStatus"];
    };
    requestBodies: never;
    headers: {
        /**
         * @description The content codings of request bodies that the gateway decodes (RFC 9110). zstd only on Node.js 22.15 or later.
         * @example gzip, deflate, br, zstd
         */
        "Accept-Encoding": string;
        /**
         * @description The media types of a PATCH (RFC 5789).
         * @example application/merge-patch+json, application/json
         */
        "Accept-Patch": string;
        /**
         * @description Responses are private to the caller, and caches must revalidate them before each use. Caches must not store a 429.
         * @example private, no-cache
         */
        "Cache-Control": string;
        /**
         * @description When the operation became deprecated (RFC 9745), as @ and Unix seconds. Present on every response from the operation itself, but not on a response sent before the operation is reached, such as a 401 or a 503 because keys cannot be read.
         * @example @1795219200
         */
        Deprecation: string;
        /**
         * @description Identifies the exact bytes of the response (RFC 9110). Send it back as If-None-Match with a read, or that of a single animal as If-Match with a change. A proxy that compresses can make it weak (`W/`).
         * @example "Nb-cYotcFmsrd4wRL3JF9iljgh5"
         */
        ETag: string;
        /**
         * @description Present if an earlier request with the same Idempotency-Key had this result.
         * @example true
         */
        "Idempotency-Replayed": "true";
        /**
         * @description The replacement of the operation, and the page that explains its deprecation (RFC 8288).
         * @example </v1/pets>; rel="successor-version", </docs/versioning>; rel="deprecation"; type="text/html"
         */
        LinkOfDeprecated: string;
        /**
         * @description The next page (RFC 8288). Absolute if the operator has set PUBLIC_URL, otherwise relative to this one. Absent on the last page.
         * @example </v1/pets?limit=20&after=cGV0OjIw>; rel="next"
         */
        LinkToNextPage: string;
        /**
         * @description Requests remaining in the window that was exceeded.
         * @example 0
         */
        NoneRemaining: number;
        /**
         * @description Caches must not store this response.
         * @example no-store
         */
        NoStore: string;
        /**
         * @description The state of all windows, each with r requests remaining and t seconds to the reset (draft-ietf-httpapi-ratelimit-headers).
         * @example "minute";r=59;t=60, "day";r=999;t=43200
         */
        RateLimit: string;
        /**
         * @description All windows, each with q requests in w seconds (draft-ietf-httpapi-ratelimit-headers).
         * @example "minute";q=60;w=60, "day";q=1000;w=86400
         */
        "RateLimit-Policy": string;
        /**
         * @description The state of all windows, each with r requests remaining and t seconds to the reset (draft-ietf-httpapi-ratelimit-headers).
         * @example "minute";r=0;t=12, "day";r=940;t=43200
         */
        RateLimitOfUsedUp: string;
        /**
         * @description The number of whole seconds to wait before you retry. You do not need to wait longer.
         * @example 12
         */
        "Retry-After": number;
        /**
         * @description When the operation is removed (RFC 8594).
         * @example Thu, 05 Dec 2030 00:00:00 GMT
         */
        Sunset: string;
        /**
         * @description The request headers that the response depends on, for caches.
         * @example Authorization, Origin, Accept, Accept-Encoding
         */
        Vary: string;
        /**
         * @description How to authenticate (RFC 6750).
         * @example Bearer
         */
        "WWW-Authenticate": string;
        /**
         * @description Present while there are more animals: the cursor of the next page, for clients that cannot follow a Link. Pass it as `after`, with your other parameters unchanged.
         * @example cGV0OjIw
         */
        "X-Next-Cursor": string;
        /**
         * @description The limit of the window with the fewest requests remaining. On 429, the limit of the window that was exceeded.
         * @example 60
         */
        "X-RateLimit-Limit": number;
        /**
         * @description Requests remaining in that window. The value may be too low, but never too high.
         * @example 59
         */
        "X-RateLimit-Remaining": number;
        /**
         * @description Unix timestamp, in seconds, at which that window resets.
         * @example 1795262412
         */
        "X-RateLimit-Reset": bigint;
        /**
         * @description The id of this request in the gateway's logs: the client's own id if it sent one. Quote it when you ask for help.
         * @example 0b8f2f4e-5d0a-4c3e-9a86-0a7f5f0f9d11
         */
        "X-Request-Id": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listPets: {
        parameters: {
            query?: {
                /**
                 * @description A cursor from the Link or X-Next-Cursor header of an earlier page. The result starts after it. The format of cursors may change.
                 * @example cGV0OjIw
                 */
                after?: components["parameters"]["After"];
                /**
                 * @description Only animals of this category, in plain decimal digits.
                 * @example 7
                 */
                categoryId?: components["parameters"]["CategoryId"];
                /**
                 * @description Maximum number of animals returned (page size), in plain decimal digits.
                 * @example 20
                 */
                limit?: components["parameters"]["Limit"];
                /**
                 * @description true: only animals of the key's own project; with an admin key, animals that belong to no project. false: animals of everybody, as without the parameter.
                 * @example true
                 */
                mine?: components["parameters"]["Mine"];
                /**
                 * @description Only animals with this availability status.
                 * @example available
                 */
                status?: components["parameters"]["Status"];
            };
            header?: {
                /**
                 * @description The ETags of responses that the client has. If one of them is still current, the response is 304.
                 * @example "Nb-cYotcFmsrd4wRL3JF9iljgh5"
                 */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
                /**
                 * @description Your own id for this request: 1 to 128 letters, digits, dots, underscores and hyphens. The gateway ignores any other value and assigns an id of its own.
                 * @example 0b8f2f4e-5d0a-4c3e-9a86-0a7f5f0f9d11
                 */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of animals. The array is empty if there are none. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["LinkToNextPage"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-Next-Cursor": components["headers"]["X-Next-Cursor"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pets"];
                };
            };
            /** @description The page has not changed since the response with the ETag that you sent. */
            304: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["LinkToNextPage"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-Next-Cursor": components["headers"]["X-Next-Cursor"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_request`: a parameter is unknown, repeated or out of range, or the request has two Authorization headers. `details.fields` names each of them. */
            400: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["RequestTimeout"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createPet: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A text of your own, new for each animal (for example a UUID), bare or in double quotes. It is valid for 24 hours, within your project only.
                 * @example d2a1f8c4-7b53-4e0e-9c1a-6e9b1f40a8c3
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description Your own id for this request: 1 to 128 letters, digits, dots, underscores and hyphens. The gateway ignores any other value and assigns an id of its own.
                 * @example 0b8f2f4e-5d0a-4c3e-9a86-0a7f5f0f9d11
                 */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description JSON in UTF-8, at most 64 KiB. You may compress it, with `Content-Encoding` gzip, deflate, br or, if the gateway runs on Node.js 22.15 or later, zstd. The limit then also applies to the expanded body. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewPet"];
            };
        };
        responses: {
            /** @description The new animal, including its id. Send its `ETag` as `If-Match` with a change or removal. */
            201: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pet"];
                };
            };
            /** @description `invalid_request`: the body is not JSON, is missing required fields, or contains unknown or invalid fields. `details.fields` names each of them. */
            400: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["RequestTimeout"];
            /** @description `idempotency_in_progress`: the first request with this Idempotency-Key is still running. */
            409: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large`: the body is larger than 64 KiB. The gateway closes the connection. */
            413: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type`: the body is not declared as JSON in UTF-8, or its Content-Encoding is unknown. In the second case, `Accept-Encoding` lists the codings that the gateway decodes. */
            415: {
                headers: {
                    "Accept-Encoding": components["headers"]["Accept-Encoding"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `idempotency_mismatch`: this Idempotency-Key was already used with another body. */
            422: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getPet: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ETags of responses that the client has. If one of them is still current, the response is 304.
                 * @example "Nb-cYotcFmsrd4wRL3JF9iljgh5"
                 */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
                /**
                 * @description Your own id for this request: 1 to 128 letters, digits, dots, underscores and hyphens. The gateway ignores any other value and assigns an id of its own.
                 * @example 0b8f2f4e-5d0a-4c3e-9a86-0a7f5f0f9d11
                 */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                /**
                 * @description Identifier of the animal, in plain decimal digits. A value that no animal can have, such as abc or 05, returns 404.
                 * @example 1
                 */
                petId: components["parameters"]["PetId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The animal. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    Deprecation: components["headers"]["Deprecation"];
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["LinkOfDeprecated"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Sunset: components["headers"]["Sunset"];
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pet"];
                };
            };
            /** @description The animal has not changed since the response with the ETag that you sent. */
            304: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    Deprecation: components["headers"]["Deprecation"];
                    ETag: components["headers"]["ETag"];
                    Link: components["headers"]["LinkOfDeprecated"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Sunset: components["headers"]["Sunset"];
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_request`: the request has a query parameter, which this operation does not support, or two Authorization headers. `details.fields` names each of them. */
            400: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    Deprecation: components["headers"]["Deprecation"];
                    Link: components["headers"]["LinkOfDeprecated"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Sunset: components["headers"]["Sunset"];
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description `forbidden`: the role of this key does not allow the operation. */
            403: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    Deprecation: components["headers"]["Deprecation"];
                    Link: components["headers"]["LinkOfDeprecated"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Sunset: components["headers"]["Sunset"];
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `pet_not_found`: no animal has this identifier. */
            404: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    Deprecation: components["headers"]["Deprecation"];
                    Link: components["headers"]["LinkOfDeprecated"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Sunset: components["headers"]["Sunset"];
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `not_acceptable`: the Accept header excludes application/json. */
            406: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    Deprecation: components["headers"]["Deprecation"];
                    Link: components["headers"]["LinkOfDeprecated"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Sunset: components["headers"]["Sunset"];
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            408: components["responses"]["RequestTimeout"];
            410: components["responses"]["OperationRemoved"];
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeadersTooLarge"];
            /** @description `internal_error`: the gateway failed. Quote `requestId` when you report the error. */
            500: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    Deprecation: components["headers"]["Deprecation"];
                    Link: components["headers"]["LinkOfDeprecated"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Sunset: components["headers"]["Sunset"];
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `service_unavailable`: a database does not respond. Retry after `Retry-After`. */
            503: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    Deprecation: components["headers"]["Deprecation"];
                    Link: components["headers"]["LinkOfDeprecated"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    Sunset: components["headers"]["Sunset"];
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deletePet: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A text of your own, new for each change (for example a UUID), bare or in double quotes. It is valid for 24 hours, within your project only.
                 * @example 4f6c1d0e-93b7-4c59-8a43-5a3f1b0c7d29
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKeyOfChange"];
                /**
                 * @description ETags of the animal, or *. If none of them is its current ETag, the response is 412. Weak ETags match nothing.
                 * @example *
                 */
                "If-Match"?: components["parameters"]["IfMatch"];
                /**
                 * @description Your own id for this request: 1 to 128 letters, digits, dots, underscores and hyphens. The gateway ignores any other value and assigns an id of its own.
                 * @example 0b8f2f4e-5d0a-4c3e-9a86-0a7f5f0f9d11
                 */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                /**
                 * @description Identifier of the animal, in plain decimal digits. A value that no animal can have, such as abc or 05, returns 404.
                 * @example 1
                 */
                petId: components["parameters"]["PetId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The animal was removed. */
            204: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_request`: the request has a body or a query parameter, or a header is invalid. `details.fields` names each of them. */
            400: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description `forbidden`: the role of this key does not allow the operation, or the animal does not belong to the project of this key. */
            403: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `pet_not_found`: no animal has this identifier. */
            404: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["RequestTimeout"];
            /** @description `idempotency_in_progress`: the first request with this Idempotency-Key is still running. */
            409: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `precondition_failed`: the animal has another ETag than `If-Match` names. Nothing was changed. `details` has the fields of the animal as it is now, and the header `ETag` its current ETag. */
            412: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large`: the body is larger than 64 KiB. The gateway closes the connection. */
            413: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `idempotency_mismatch`: this Idempotency-Key was already used with another animal, `If-Match` or body. */
            422: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updatePet: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A text of your own, new for each change (for example a UUID), bare or in double quotes. It is valid for 24 hours, within your project only.
                 * @example 4f6c1d0e-93b7-4c59-8a43-5a3f1b0c7d29
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKeyOfChange"];
                /**
                 * @description ETags of the animal, or *. If none of them is its current ETag, the response is 412. Weak ETags match nothing.
                 * @example *
                 */
                "If-Match"?: components["parameters"]["IfMatch"];
                /**
                 * @description Your own id for this request: 1 to 128 letters, digits, dots, underscores and hyphens. The gateway ignores any other value and assigns an id of its own.
                 * @example 0b8f2f4e-5d0a-4c3e-9a86-0a7f5f0f9d11
                 */
                "X-Request-Id"?: components["parameters"]["RequestId"];
            };
            path: {
                /**
                 * @description Identifier of the animal, in plain decimal digits. A value that no animal can have, such as abc or 05, returns 404.
                 * @example 1
                 */
                petId: components["parameters"]["PetId"];
            };
            cookie?: never;
        };
        /** @description JSON in UTF-8, at most 64 KiB. You may compress it, as for createPet. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["PetPatch"];
                "application/merge-patch+json": components["schemas"]["PetPatch"];
            };
        };
        responses: {
            /** @description The animal after the change. */
            200: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pet"];
                };
            };
            /** @description `invalid_request`: the body is not JSON, names no field, or contains null, unknown or invalid fields, or a header is invalid. `details.fields` names each of them. */
            400: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description `forbidden`: the role of this key does not allow the operation, or the animal does not belong to the project of this key. */
            403: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `pet_not_found`: no animal has this identifier. */
            404: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            406: components["responses"]["NotAcceptable"];
            408: components["responses"]["RequestTimeout"];
            /** @description `idempotency_in_progress`: the first request with this Idempotency-Key is still running. */
            409: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "Retry-After": components["headers"]["Retry-After"];
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `precondition_failed`: the animal has another ETag than `If-Match` names. Nothing was changed. `details` has the fields of the animal as it is now, and the header `ETag` its current ETag. */
            412: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `payload_too_large`: the body is larger than 64 KiB. The gateway closes the connection. */
            413: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `unsupported_media_type`: the body is not declared as a JSON Merge Patch or JSON in UTF-8; `Accept-Patch` lists the media types. Or its Content-Encoding is unknown; `Accept-Encoding` lists the codings that the gateway decodes. */
            415: {
                headers: {
                    "Accept-Encoding": components["headers"]["Accept-Encoding"];
                    "Accept-Patch": components["headers"]["Accept-Patch"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description `idempotency_mismatch`: this Idempotency-Key was already used with another animal, `If-Match` or body. */
            422: {
                headers: {
                    "Cache-Control": components["headers"]["Cache-Control"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    Vary: components["headers"]["Vary"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            431: components["responses"]["RequestHeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
}
