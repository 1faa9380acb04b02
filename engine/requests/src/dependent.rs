//! Requests that depend on their connection: it takes values from answers, and sends them.

use crate::template::Template;
use volley_protocol::Request;

/// A request, but for the values that its connection takes.
#[derive(Debug)]
pub struct Dependent {
    /// In the place of the values it has the fields as they are written, `{{name}}`.
    pub(crate) request: Request,
    /// Of its last headers.
    pub(crate) headers: Vec<Template>,
    pub(crate) path: Template,
    /// `None`: it is as it is in the request.
    pub(crate) body: Option<Template>,
}

impl Dependent {
    /// The request with the values that its connection has taken.
    pub fn with(&self, values: &[String]) -> Request {
        let mut request = self.request.clone();
        let own = request.headers.len() - self.headers.len();
        for ((_, value), template) in request.headers[own..].iter_mut().zip(&self.headers) {
            *value = template.with(values);
        }
        request.path = self.path.with(values);
        if let Some(body) = &self.body {
            request.body = body.with(values).into();
        }
        request
    }
}
